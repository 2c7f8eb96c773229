#!/usr/bin/env node
// The bin `nx` of package.json, which npm prefers to the installed one: installs the dependencies if needed, then is Nx.
import { join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { root } from '../workspace.mjs';

await install();
await import(join(root, 'node_modules/nx/dist/bin/nx.js'));
