import './support/end-shared-service.js';
import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

for (const folder of ['catalogue', 'quotes', 'service', '../src'])
  runSpecsIn(join(import.meta.dirname, folder));
