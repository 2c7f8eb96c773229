import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually, type RunningProcess } from '@fd/testing';
import { aPhone } from '../../test/support/inbox.js';
import { BEHAVIOURS, ScriptedProvider } from '../../test/support/scripted-provider.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const FAILING = pathToFileURL(join(__dirname, '../../test/support/failing-process.mjs')).href;

/** Faults inside a process, and its reaction. */
describe('process', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    service = await startService();
    processes = new ServiceProcesses(service.environment);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  const startWith = (fault: string, options = '') =>
    processes.start({ FAULT: fault, NODE_OPTIONS: `--import=${FAILING} ${options}` });

  /** Triggers the fault and waits for the process to exit. */
  async function endOf({ child }: RunningProcess): Promise<[number | null, string | null]> {
    const gone = once(child, 'exit');
    child.kill('SIGUSR2');
    return (await gone) as [number | null, string | null];
  }

  const linesOf = ({ log }: RunningProcess) =>
    log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it.each(['throw', 'reject'])(
    'logs one line without personal data and exits on an uncaught defect (%s)',
    async (fault) => {
      const running = await startWith(fault);
      expect(await endOf(running)).toEqual([1, null]);
      const fatal = linesOf(running).filter(({ level }) => level === 'fatal');
      expect(fatal).toEqual([
        expect.objectContaining({
          service: 'users-service',
          msg: 'uncaught error',
          err: expect.objectContaining({ type: 'Error', message: 'a defect about [redacted]' }) as object,
        }),
      ]);
      expect(running.log()).not.toContain('919812345678');
      await expect(fetch(`${running.url}/health/live`)).rejects.toThrow();
    },
  );

  it('exits when it runs out of memory', async () => {
    const running = await startWith('exhaust', '--max-old-space-size=160');
    const [code, signal] = await endOf(running);
    expect(code === 0).toBe(false);
    expect([code, signal]).not.toEqual([null, 'SIGKILL']);
    await expect(fetch(`${running.url}/health/live`)).rejects.toThrow();
  });

  it('answers every call after its event loop was blocked for two seconds, and becomes ready again', async () => {
    const { child, url, kill } = await startWith('stall');
    child.kill('SIGUSR2');
    const register = () =>
      fetch(`${url}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ phone: aPhone() }),
      });
    const answers = await Promise.all(Array.from({ length: 10 }, register));
    for (const { status } of answers) expect([201, 503]).toContain(status);
    await eventually(async () => {
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      expect((await register()).status).toBe(201);
    });
    await kill();
  });

  it('finishes its running calls once when it receives several termination signals', async () => {
    const provider = await ScriptedProvider.start();
    provider.behaviour = (response) => setTimeout(() => BEHAVIOURS.accepts(response), 900);
    const { child, url, log } = await processes.start({ SMS_PRIMARY_URL: provider.url });
    const phone = aPhone();
    const inFlight = fetch(`${url}/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone }),
    });
    await eventually(() => expect(provider.callsTo(phone)).toHaveLength(1));
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await eventually(() => expect(log()).toContain('shutting down'));
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect((await inFlight).status).toBe(201);
    expect(await gone).toEqual([0, null]);
    expect(log().match(/shutting down/g)).toHaveLength(1);
    await provider.stop();
  });
});
