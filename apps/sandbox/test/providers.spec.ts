import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

for (const folder of ['issuers', 'providers']) runSpecsIn(join(import.meta.dirname, folder));
