import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

for (const folder of ['console', 'effects', 'http', 'inbox', 'magic'])
  runSpecsIn(join(import.meta.dirname, folder));
