import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const TSC = join(root, 'node_modules/typescript/bin/tsc6');

/** Tests the output of `npm pack` as an application installs it. */
describe('the package', () => {
  const app = mkdtempSync(join(tmpdir(), 'fd-pack-'));
  const installed = join(app, 'node_modules/@fd/client');
  afterAll(() => rmSync(app, { recursive: true }));
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: app, encoding: 'utf8', timeout: 50_000 });

  beforeAll(() => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', app], { cwd: root, timeout: 50_000 });
    const [archive] = readdirSync(app).filter((name) => name.endsWith('.tgz'));
    mkdirSync(installed, { recursive: true });
    run('tar', '-xzf', archive!, '-C', installed, '--strip-components=1');
  });

  it('contains its licence and a README whose links work without the repository', () => {
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License');
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);
    expect(links.filter((target) => !/^(https:|#)/.test(target))).toEqual([]);
    expect(readdirSync(root)).not.toContain('LICENSE');
  });

  it('loads in Node.js by import and by require', () => {
    const names = "['createClient', 'waitForBank', 'ApiError'].map((name) => typeof client[name]).join()";
    writeFileSync(join(app, 'a.mjs'), `import * as client from '@fd/client'; console.log(${names});`);
    writeFileSync(join(app, 'b.cjs'), `const client = require('@fd/client'); console.log(${names});`);
    for (const file of ['a.mjs', 'b.cjs'])
      expect(run(process.execPath, file)).toBe('function,function,function\n');
  });

  it('verifies an event in Node.js, loaded by import and by require', () => {
    const id = '0198c0de-0000-7000-8000-000000000001';
    const body = JSON.stringify({ id, type: 'pan.verified', timestamp: '', data: { user_id: 'a' } });
    const secret = randomBytes(32).toString('base64');
    const seconds = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${seconds}.${body}`);
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature.digest('base64')}`,
    };
    const delivery = JSON.stringify({ body, headers, secrets: `whsec_${secret}` });
    const verify = `console.log(server.verifyEvent(${delivery}).type);`;
    writeFileSync(join(app, 'c.mjs'), `import * as server from '@fd/client/server'; ${verify}`);
    writeFileSync(join(app, 'd.cjs'), `const server = require('@fd/client/server'); ${verify}`);
    for (const file of ['c.mjs', 'd.cjs']) expect(run(process.execPath, file)).toBe('pan.verified\n');
  });

  it.each(['mts', 'cts'])('offers types to a .%s', (extension) => {
    const file = `typed.${extension}`;
    const lines = [
      "import { createClient } from '@fd/client';",
      "import { verifyEvent } from '@fd/client/server';",
      "const { users, master } = createClient({ usersUrl: 'https://a.example' });",
      'export const none: undefined = master;',
      "export const phone = users.post('/auth/register', { body: { phone: '919999900001' } });",
      '// @ts-expect-error -- there is no such call',
      "export const nothing = users.get('/nothing');",
      "const event = verifyEvent({ body: '', headers: new Headers(), secrets: [] });",
      "export const isReady = event.type === 'application.ready';",
      '// @ts-expect-error -- this may be null',
      'export const step: string = event.data.step;',
    ];
    writeFileSync(join(app, file), lines.join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom',
    ];
    expect(run(process.execPath, TSC, ...options, file)).toBe('');
  });
});
