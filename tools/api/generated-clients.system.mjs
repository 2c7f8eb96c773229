import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checksFolder, installChecks, runCheck } from './api-checks.mjs';
import { DOCUMENTED_SERVICES, documentPath } from './openapi-documents.mjs';
import { root, toolEnvironment } from '../workspace.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fd-clients-'));
before(installChecks);
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (program, args) => spawnSync(program, args, { encoding: 'utf8', env: toolEnvironment() });

/** Compiles what is BELOW a folder as a strict frontend would. */
function compile(below) {
  const lib = ['es2023', 'dom', 'dom.iterable'];
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
  };
  writeFileSync(
    join(below, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, lib, types: [] }, include: ['**/*.ts'] }),
  );
  const { status, stdout } = run('tsc', ['--project', below]);
  assert.equal(status, 0, stdout);
}

for (const service of DOCUMENTED_SERVICES) {
  const document = join(root, documentPath(service));

  test(`compiles the client of ${service} that @hey-api/openapi-ts generates`, () => {
    const output = join(folder, `${service}-hey`);
    const made = runCheck('openapi-ts', ['--input', document, '--output', output, '--silent'], {
      stdio: 'pipe',
      cwd: checksFolder,
    });
    assert.equal(made.status, 0, made.stdout + made.stderr);
    compile(output);
  });

  test(`compiles the types of ${service} that openapi-typescript generates`, () => {
    const output = join(folder, `${service}.d`);
    const made = run('openapi-typescript', [document, '--output', join(output, 'api.ts')]);
    assert.equal(made.status, 0, made.stderr);
    compile(output);
  });
}
