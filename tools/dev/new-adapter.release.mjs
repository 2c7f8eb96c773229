import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { root, toolEnvironment } from '../workspace.mjs';

const PORTS = ['pan', 'bank', 'locker', 'ekyc', 'sms'];
let folder;
const run = (program, ...args) =>
  spawnSync(program, args, { cwd: folder, env: toolEnvironment(), encoding: 'utf8' });
const start = (...args) => run('node', 'tools/dev/new-adapter.mjs', ...args);

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'fd-adapter-'));
  const isSource = (path) => !['dist', '.vite'].includes(basename(path));
  // links to other packages of the copy are relative
  const options = { recursive: true, verbatimSymlinks: true, filter: isSource };
  for (const part of ['apps', 'libs', 'tools']) cpSync(join(root, part), join(folder, part), options);
  for (const entry of readdirSync(root, { withFileTypes: true }))
    // in a work tree .git is a file
    if (entry.isFile() && entry.name !== '.git') cpSync(join(root, entry.name), join(folder, entry.name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  run('git', 'init', '--quiet');
  run('git', 'add', '--all');
});
after(() => rmSync(folder, { recursive: true }));

test('starts adapters of all ports, which compile and are formatted', () => {
  const written = PORTS.flatMap((port) => {
    const { status, stdout, stderr } = start(port, 'acme');
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /apps\/users-service\/README\.md: \d+/);
    return [...stdout.matchAll(/^ {2}(\S+)$/gm)].map(([, path]) => path);
  });
  assert.ok(written.length > 25);
  const compiled = run('tsc', '-b', 'apps/users-service', 'apps/sandbox');
  assert.equal(compiled.status, 0, compiled.stdout);
  const checked = run('prettier', '--check', ...written);
  assert.equal(checked.status, 0, checked.stderr);
});

for (const [title, args, reason] of [
  ['an adapter that exists', ['pan', 'acme'], /acme-pan\.adapter\.ts exists already/],
  ['an unknown port', ['fax', 'other'], /PORT: pan, bank, locker, ekyc, sms/],
  ['a name that is no identifier', ['pan', 'acme-pay'], /lower-case letters and digits/],
])
  test(`refuses ${title}`, () => {
    const { status, stderr } = start(...args);
    assert.equal(status, 2);
    assert.match(stderr, reason);
  });
