import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

for (const folder of ['../src', 'support']) runSpecsIn(join(import.meta.dirname, folder));
