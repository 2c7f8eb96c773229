import { request as httpRequest } from 'node:http';
import { expectToEndure, type RunningProcess, saturate } from '@fd/testing';
import { logIn } from '../../test/support/login.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const DEFAULT_DELAY_MS = '200';
const BODIES_AT_ONCE = 256;
const BODY_BYTES = 65_000;

describe('overload', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  let running: RunningProcess;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    processes = new ServiceProcesses(service.environment);
    running = await processes.start({ MAX_EVENT_LOOP_DELAY_MS: DEFAULT_DELAY_MS });
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  it('keeps most of its throughput with short waits, answered probes and bounded memory', async () => {
    const { access_token } = await logIn(service);
    const saturation = await saturate(running.url, {
      url: `${running.url}/api/v1/user-profile`,
      headers: { authorization: `Bearer ${access_token}` },
    });
    expectToEndure(saturation);
  }, 240_000);

  it('keeps memory bounded over repeated waves of 16 MB of bodies', async () => {
    const send = () =>
      new Promise<number>((resolve) => {
        const call = httpRequest(
          `${running.url}/auth/register`,
          { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
          (response) => response.resume().on('end', () => resolve(response.statusCode!)),
        );
        call.on('error', () => resolve(0));
        call.end(JSON.stringify({ phone: 'x'.repeat(BODY_BYTES) }));
      });
    const memory: number[] = [];
    for (let round = 0; round < 12; round++) {
      const statuses = await Promise.all(Array.from({ length: BODIES_AT_ONCE }, send));
      expect(statuses.every((status) => status === 400 || status === 503)).toBe(true);
      const text = await (await fetch(`${running.url}/metrics`)).text();
      memory.push(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
    }
    const most = (from: number, to: number) => Math.max(...memory.slice(from, to));
    process.stderr.write(`memory after each round: ${memory.join(' ')}\n`);
    expect(most(8, 12) / most(0, 4)).toBeLessThan(1.5);
  }, 240_000);
});
