import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { eventually, recordEvidence, RawConnection, type RunningProcess } from '@fd/testing';
import { as, logIn } from '../../test/support/login.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';

const SOCKETS = 10_000;
const CALLS = 300;
/** File descriptors that the process may open in addition to those it has. */
const FEW = 20;
const POST = 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('process', () => {
  let service: TestService;
  let processes: ServiceProcesses;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
    processes = new ServiceProcesses(service.environment);
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  const portOf = ({ url }: RunningProcess): number => Number(new URL(url).port);

  it(`serves others at normal speed while ${SOCKETS} slow clients hold connections`, async () => {
    const limit = String(SOCKETS + 100);
    const running = await processes.start({ MAX_CONNECTIONS: limit, MAX_CONNECTIONS_PER_ADDRESS: limit });
    const { access_token } = await logIn(service);
    const p99 = async (): Promise<number> => {
      const took: number[] = [];
      for (let call = 0; call < CALLS; call++) {
        const startedAt = performance.now();
        const response = await fetch(`${running.url}/api/v1/user-profile`, {
          headers: { authorization: `Bearer ${access_token}` },
        });
        await response.arrayBuffer();
        expect(response.status).toBe(200);
        took.push(performance.now() - startedAt);
      }
      return took.sort((a, b) => a - b)[Math.floor(CALLS * 0.99)]!;
    };
    const alone = await p99();
    const slow: RawConnection[] = [];
    for (let i = 0; i < SOCKETS; i++) {
      const connection = await RawConnection.to(portOf(running));
      // no bytes, or part of the headers
      if (i % 2) connection.write(POST);
      slow.push(connection);
    }
    const beset = await p99();
    expect(beset / alone).toBeLessThan(10);
    await eventually(() => expect(slow.filter(({ isClosed }) => !isClosed)).toHaveLength(0), 60_000);
    recordEvidence('slow-clients', {
      sockets: SOCKETS,
      'p99 in ms': Math.round(alone),
      'p99 beset in ms': Math.round(beset),
    });
    await running.kill();
  });

  it('recovers from a lack of file descriptors', async () => {
    const running = await processes.start();
    const { pid } = running.child;
    const limit = readdirSync(`/proc/${pid}/fd`).length + FEW;
    const limited = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:${limit}`]);
    expect(limited.status).toBe(0);
    const connections = await Promise.all(
      Array.from({ length: 5 * FEW }, () => RawConnection.to(portOf(running)).catch(() => undefined)),
    );
    await eventually(() => expect(readdirSync(`/proc/${pid}/fd`).length).toBeGreaterThanOrEqual(limit - 2));
    for (const connection of connections) connection?.destroy();
    const user = await logIn(service);
    await eventually(async () => {
      const response = await fetch(`${running.url}/api/v1/user-profile`, {
        headers: { authorization: `Bearer ${user.access_token}` },
      });
      expect(response.status).toBe(200);
    });
    expect(running.child.exitCode).toBeNull();
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
    recordEvidence('no-file-descriptors', { limit, connections: connections.length });
    await running.kill();
  });
});
