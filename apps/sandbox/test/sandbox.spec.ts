import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

const FOLDERS = ['console', 'effects', 'http', 'inbox', 'issuers', 'magic', 'providers', 'wire', '../src'];
for (const folder of FOLDERS) runSpecsIn(join(import.meta.dirname, folder));
