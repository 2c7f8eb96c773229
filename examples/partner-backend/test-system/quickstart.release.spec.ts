import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@fd/testing';

const ROOT = join(import.meta.dirname, '..');
const [PAGE] = readFileSync(join(ROOT, '../../docs/integrators/events.md'), 'utf8').split(
  '\n## A delivery',
) as [string];

it('answers the deliveries of the quickstart as the page says', async () => {
  // the first block starts the backend
  const [, ...deliveries] = [...PAGE.matchAll(/^ {3}```sh\n([^]*?)^ {3}```$/gm)].map(([, block]) => block!);
  expect(deliveries).toHaveLength(2);
  const folder = mkdtempSync(join(tmpdir(), 'fd-quickstart-'));
  const port = String(await freePort());
  const settings = {
    EVENT_SECRETS: /SECRETS=(whsec_\S+)/.exec(PAGE)![1]!,
    USERS_URL: 'http://127.0.0.1:1',
    EVENTS_KEY: 'none',
    DONE_FILE: join(folder, 'done.log'),
    PORT: port,
  };
  const backend = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [backend.stdout, backend.stderr])
    stream.on('data', (text) => (output += String(text)));
  try {
    await eventually(() => expect(output).toContain('could not fetch'));
    const commands = deliveries.join('\n').replaceAll('localhost:8080', `127.0.0.1:${port}`);
    const { stdout } = await promisify(execFile)('sh', ['-euc', commands]);
    expect(stdout.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 204', 'HTTP/1.1 204', 'HTTP/1.1 400']);
    expect(output.match(/pan\.verified/g)).toHaveLength(1);
    expect(output).toContain('refused a delivery');
  } finally {
    const ended = once(backend, 'exit');
    backend.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  }
});
