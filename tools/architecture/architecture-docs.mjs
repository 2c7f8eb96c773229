// npm run architecture:docs: redraws the diagrams of docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDiagrams } from './architecture.mjs';
import { root } from '../workspace.mjs';

const file = join(root, 'docs/architecture.md');
writeFileSync(file, withDiagrams(readFileSync(file, 'utf8')));
console.log(`wrote ${file}`);
