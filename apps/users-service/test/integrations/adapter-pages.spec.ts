import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../../src');

/** Formats of our own: they leave nothing to confirm. */
const OWN_FORMATS = ['http', 'rest', 'core-banking'];

/** By name and folder: the folders below each folder `adapters`. */
const ADAPTERS = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.parentPath.endsWith('/adapters'))
  .map(({ name, parentPath }) => [name, join(parentPath, name).slice(SOURCES.length + 1)] as const);

describe('README of an adapter', () => {
  it.each(ADAPTERS)('says what %s needs, answers, costs and leaves open: %s', (name, folder) => {
    const page = readFileSync(join(SOURCES, folder, 'README.md'), 'utf8');
    // the account of a vendor of several products has a page of its own
    expect(page).toMatch(/^## Settings$|_PROVIDERS=|\/vendors\/\w+\/README\.md/m);
    expect(page).toMatch(/\b(?:misconfigured|malformed)\b/i);
    expect(page).toMatch(/\bcost of a retry\b/i);
    if (!OWN_FORMATS.includes(name))
      expect(page).toMatch(/\bto be confirmed with (?:an account|the issuer)\b/i);
  });

  it('finds an adapter README for every port', () => {
    const ports = new Set(ADAPTERS.map(([, folder]) => folder.replace(/\/adapters\/.*/, '')));
    expect([...ports].sort()).toEqual([
      'banking/verification',
      'integrations/issuers',
      'integrations/sms',
      'kyc/ekyc',
      'kyc/pan',
    ]);
  });
});
