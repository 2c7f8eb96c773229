import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';

runSpecsIn(join(import.meta.dirname, '../src'));
