import './support/end-shared-service.js';
import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

runSpecsIn(join(import.meta.dirname, 'quotes'));
