import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FAILURES, PORTS } from './adapter-ports.table.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

const VENDOR = 'acme';

/** Runs a program; returns its exit code and output. */
const run = (program, args, cwd) =>
  new Promise((done) => {
    const options = { cwd, env: toolEnvironment(), maxBuffer: 16_000_000 };
    execFile(program, args, options, (error, stdout, stderr) =>
      done({ code: error ? (error.code ?? 1) : 0, stdout, stderr }),
    );
  });

describe('node tools/dev/new-adapter.mjs', () => {
  let folder;
  /** By port: the exit code and the output. */
  const runs = {};
  const start = (...args) =>
    run(process.execPath, [join(folder, 'tools/dev/new-adapter.mjs'), ...args], folder);
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const written = (port) =>
    [...runs[port].stdout.matchAll(/^ {2}(\S*acme\S*|\S*-contract\.spec\.ts)$/gm)].map(([, path]) => path);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fd-adapter-'));
    const isSource = (path) => !['dist', '.vite'].includes(basename(path));
    // links to other packages of the copy are relative
    const options = { recursive: true, verbatimSymlinks: true, filter: isSource };
    for (const part of ['apps', 'libs', 'tools', 'docs', 'deploy'])
      cpSync(join(root, part), join(folder, part), options);
    for (const name of readdirSync(root, { withFileTypes: true }))
      if (name.isFile()) cpSync(join(root, name.name), join(folder, name.name));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const port of Object.keys(PORTS)) runs[port] = await start(port, VENDOR);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, { title, port, outcomes, contract, registrations, source }] of Object.entries(PORTS)) {
    it(`starts an adapter for ${name}, with its stub, its README and its entry in the contract suite`, () => {
      assert.deepEqual([runs[name].code, runs[name].stderr], [0, '']);
      const paths = written(name);
      assert.ok(paths.includes(contract));
      for (const place of [/^apps\/users-service\/.*adapter\.ts$/, /^apps\/sandbox\/.*controller\.ts$/])
        assert.equal(paths.filter((path) => place.test(path)).length, 1);
      const page = read(paths.find((path) => /\/adapters\/.*README\.md$/.test(path)));
      assert.match(page, new RegExp(`^# ${title} at Acme\n`));
      const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      assert.deepEqual(headings, [
        'Settings',
        'Outcomes and codes',
        'Webhooks',
        'Cost of a retry',
        'To be confirmed with an account',
      ]);
      for (const outcome of [...outcomes, ...FAILURES]) assert.ok(page.includes(`\`${outcome}\``), outcome);
      for (const outcome of outcomes) assert.ok(read(port).includes(`'${outcome}'`), outcome);
      assert.match(read(contract), /^ {2}acme: \{$/m);
    });

    it(`lists the lines that register the vendor that was copied for ${name}`, () => {
      const listed = [...runs[name].stdout.matchAll(/^ {2}(\S+): ([\d, ]+)$/gm)];
      for (const [, file, numbers] of listed) {
        const lines = readFileSync(join(root, file), 'utf8').split('\n');
        for (const number of numbers.split(', ')) assert.match(lines[number - 1], new RegExp(source, 'i'));
      }
      assert.ok(listed.length >= 5);
      for (const file of registrations) assert.ok(existsSync(join(root, file)), file);
    });
  }

  it('names the copied vendor only where its name is left to replace', () => {
    const sources = new Set(Object.values(PORTS).map(({ source }) => source));
    const copies = Object.keys(PORTS)
      .flatMap(written)
      .filter((path) => /\/acme[^/]*\/.*\.ts$/.test(path));
    assert.ok(copies.length >= 15);
    for (const path of copies) {
      const [first, ...rest] = read(path).split('\n');
      assert.match(first, /^\/\/ Copied from \S+\.ts: replace everything that is \w+'s/);
      const left = rest.filter((line) => [...sources].some((source) => new RegExp(source, 'i').test(line)));
      // the types of the settings, until the vendor's are registered
      for (const line of left) assert.match(line, /SetuAccount|kind: 'twilio'/);
    }
  });

  it('writes code that compiles before the vendor is registered', async () => {
    const paths = Object.keys(PORTS)
      .flatMap(written)
      .filter((path) => path.endsWith('.ts'));
    for (const app of ['apps/users-service', 'apps/sandbox']) {
      const own = paths.filter((path) => path.startsWith(`${app}/`)).map((path) => join(folder, path));
      assert.ok(own.length >= 6);
      const compilerOptions = {
        noEmit: true,
        composite: false,
        declaration: false,
        declarationMap: false,
        types: ['node', 'jest'],
      };
      const project = join(folder, app, 'tsconfig.copies.json');
      const declarations = '../../libs/*/src/**/*.d.ts';
      writeFileSync(
        project,
        JSON.stringify({
          extends: '../../tsconfig.base.json',
          compilerOptions,
          files: own,
          include: [declarations],
        }),
      );
      const { code, stdout } = await run(
        join(root, 'node_modules/.bin/tsc'),
        ['-p', project],
        dirname(project),
      );
      assert.deepEqual([code, stdout], [0, '']);
    }
  });

  it('writes files that Prettier accepts', async () => {
    const paths = Object.keys(PORTS).flatMap(written);
    const { code, stderr } = await run(
      join(root, 'node_modules/.bin/prettier'),
      ['--check', ...paths],
      folder,
    );
    assert.equal(code, 0, stderr);
  });

  for (const [title, args, reason] of [
    ['an adapter that exists', ['pan', VENDOR], /acme-pan\.adapter\.ts exists already/],
    ['an unknown port', ['fax', 'other'], /PORT: pan, bank, locker, ekyc, sms/],
    ['a name that is no identifier', ['pan', 'acme-pay'], /lower-case letters and digits/],
    ['a call without a vendor', ['pan'], /Usage/],
  ])
    it(`refuses ${title}, and writes nothing`, async () => {
      const contract = read(PORTS.pan.contract);
      const { code, stdout, stderr } = await start(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, reason);
      assert.equal(read(PORTS.pan.contract), contract);
    });
});
