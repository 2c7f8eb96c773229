import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

for (const folder of ['console', 'effects', 'http', 'inbox', 'magic', 'wire'])
  runSpecsIn(join(import.meta.dirname, folder));
