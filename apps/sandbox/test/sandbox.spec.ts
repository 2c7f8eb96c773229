import { join } from 'node:path';
import { runSpecsIn } from '@fd/testing';
import { slowVendors } from './support/slow-vendors.js';

// not awaited here: vendor-faults.spec.ts awaits the answers and reports an error
beforeAll(() => void slowVendors().catch(() => undefined));

// so that no vendor answers after the tests, even if only some of the specs run
afterAll(() => slowVendors().catch(() => undefined));

const FOLDERS = ['console', 'effects', 'http', 'inbox', 'issuers', 'magic', 'wire', '../src', 'providers'];
for (const folder of FOLDERS) runSpecsIn(join(import.meta.dirname, folder));
