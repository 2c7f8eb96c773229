#!/usr/bin/env node
// npx nx ARGS...: installs the dependencies if needed, then is the installed Nx.
import { join } from 'node:path';
import { install } from '../bootstrap.mjs';
import { root } from '../workspace.mjs';

await install();
await import(join(root, 'node_modules/nx/dist/bin/nx.js'));
