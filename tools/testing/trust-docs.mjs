// npm run trust:docs: writes docs/trust.md from the results of the latest npm test, test:system and test:soak.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { readResults } from './results.mjs';
import { trustPage } from './trust-page.mjs';
import { root } from '../workspace.mjs';

const file = join(root, 'docs/trust.md');
const promises = JSON.parse(readFileSync(join(root, 'libs/testing/src/promises.json'), 'utf8'));
const page = trustPage(promises, {
  'npm test': readResults('test'),
  'npm run test:system': readResults('system'),
  'npm run test:soak': readResults('soak'),
});
writeFileSync(file, await format(page, { ...(await resolveConfig(file)), parser: 'markdown' }));
console.log(`wrote ${file}`);
