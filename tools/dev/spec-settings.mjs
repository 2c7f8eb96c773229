// For the specs: the settings of docker/example.env.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

/** Every setting of the example by its name. */
export const exampleSettings = () =>
  Object.fromEntries(
    readFileSync(join(root, 'docker/example.env'), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
