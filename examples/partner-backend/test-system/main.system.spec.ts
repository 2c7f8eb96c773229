import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@fd/testing';

const ROOT = join(import.meta.dirname, '..');

/** The settings that the README names, from its command. */
const NAMES = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^(?: {2})?([A-Z_]+)=/gm)].map(
  ([, name]) => name!,
);

it('starts as its README says, works once on a delivered event, and fetches what it missed while it was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-partner-'));
  const key = randomBytes(32);
  const anEvent = (type: string) => ({ id: randomUUID(), type, timestamp: '', data: { user_id: type } });
  const [delivered, missed] = [anEvent('pan.verified'), anEvent('user.erased')];
  const kept: object[] = [];
  const service = createServer((_, response) =>
    response.end(JSON.stringify({ payload: { events: kept, has_more: false } })),
  );
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const port = await freePort();
  const settings: Record<string, string> = {
    EVENT_SECRETS: `whsec_${key.toString('base64')}`,
    USERS_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    EVENTS_KEY: 'key-of-the-backend',
    DONE_FILE: join(folder, 'done.log'),
    PORT: String(port),
  };
  expect(NAMES.sort()).toEqual(Object.keys(settings).sort());

  let output = '';
  function start(): ChildProcess {
    const child = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (text) => (output += String(text)));
    return child;
  }
  const body = JSON.stringify(delivered);
  const deliver = async () => {
    const seconds = String(Math.floor(Date.now() / 1_000));
    const signed = createHmac('sha256', key).update(`${delivered.id}.${seconds}.${body}`).digest('base64');
    const headers = {
      'webhook-id': delivered.id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${signed}`,
    };
    return (await fetch(`http://127.0.0.1:${port}/events`, { method: 'POST', body, headers })).status;
  };

  let child = start();
  try {
    await eventually(async () => expect(await deliver()).toBe(204));
    await eventually(() => expect(output).toContain('pan.verified: pan.verified'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    kept.push(delivered, missed);
    child = start();
    await eventually(() => expect(output).toContain('user.erased: user.erased'));
    expect(await deliver()).toBe(204);
    expect(output.match(/pan\.verified: /g)).toHaveLength(1);
  } finally {
    child.kill('SIGKILL');
    service.close();
    rmSync(folder, { recursive: true });
  }
});
