// npm run trust:docs: writes docs/trust.md from the results of the latest npm test, test:system and test:soak. Without results of
// a command the page keeps what it says of its run; new promises are added as not proved.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults } from './results.mjs';
import { COMMANDS, trustPage } from './trust-page.mjs';
import { formatted } from '../files.mjs';
import { root } from '../workspace.mjs';

const file = join(root, 'docs/trust.md');
const promises = JSON.parse(readFileSync(join(root, 'libs/testing/src/promises.json'), 'utf8'));
const runs = Object.entries(COMMANDS).map(([command, target]) => [command, readResults(target)]);
const page = trustPage(promises, Object.fromEntries(runs), readFileSync(file, 'utf8'));
writeFileSync(file, await formatted(file, page));
console.log(`wrote ${file}`);
