import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../workspace.mjs';

const IMPORT = /import \{([^}]*)\} from 'es-toolkit\/compat'/g;

/** All names that FOLDER's modules import from es-toolkit. */
const importedNames = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)])
    .flatMap(([, names]) => names.split(',').map((name) => name.trim()));

test('gives @nestjs/swagger only the functions of es-toolkit that it imports', () => {
  const swagger = realpathSync(join(root, 'libs/platform/node_modules/@nestjs/swagger'));
  const script = "console.log(JSON.stringify(Object.keys(await import('es-toolkit/compat'))))";
  const given = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: swagger });
  const expected = [...new Set(importedNames(join(swagger, 'dist')))];
  assert.ok(expected.length > 0);
  assert.deepEqual(JSON.parse(given).sort(), expected.sort());
});
