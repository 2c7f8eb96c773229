import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { ReplicaSet } from './replica-set.js';
import { ServiceProcesses } from './service-processes.config.js';

/** A service that records its process id and is ready when the file `ready` exists. */
const MAIN = `
const { existsSync, writeFileSync } = require('node:fs');
writeFileSync(__dirname + '/pid-' + process.pid, '');
require('node:http')
  .createServer((request, response) => response.writeHead(existsSync(__dirname + '/ready') ? 200 : 503).end())
  .listen(Number(process.env.PORT), '127.0.0.1');
`;

describe('ReplicaSet', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'replicas-'));
    writeFileSync(join(folder, 'main.js'), MAIN);
    writeFileSync(join(folder, 'ready'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const started = (): number[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith('pid-'))
      .map((name) => Number(name.slice('pid-'.length)));
  const living = (): number[] => started().filter(isThere);

  it('leaves no process behind when it is stopped during a replacement', async () => {
    const replicas = await ReplicaSet.start(new ServiceProcesses(folder, {}), 2);
    rmSync(join(folder, 'ready'));
    const replaced = replicas.replace(0);
    const outcome = expect(replaced).rejects.toThrow('ended instead of starting');
    await eventually(() => expect(started()).toHaveLength(3));
    await replicas.stop();
    await outcome;
    expect(living()).toEqual([]);
  });

  it('starts no process after it is stopped', async () => {
    const replicas = await ReplicaSet.start(new ServiceProcesses(folder, {}), 1);
    const replaced = replicas.replace(0);
    const outcome = expect(replaced).rejects.toThrow('were stopped');
    await replicas.stop();
    await outcome;
    expect([started().length, living()]).toEqual([1, []]);
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
