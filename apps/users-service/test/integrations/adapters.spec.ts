import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placesOf } from '../support/vendor-places.config.js';

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

const CREDENTIALS = { LIVE_CASHFREE_CLIENT_ID: 'ours', LIVE_CASHFREE_CLIENT_SECRET: 'key' };
const OWN = "the vendor's own sandbox";

const own = (name: Parameters<typeof placesOf>[0], environment: Record<string, string>) =>
  placesOf(name, environment).find(({ where }) => where === OWN)?.account;

describe('places of the contract suites', () => {
  it("returns the stub, and the vendor's own sandbox with an account in the environment", () => {
    expect(placesOf('cashfree', CREDENTIALS).map(({ where }) => where)).toEqual(["the sandbox's stub", OWN]);
    expect(own('cashfree', CREDENTIALS)).toEqual({
      CASHFREE_URL: 'https://sandbox.cashfree.com/verification',
      CASHFREE_CLIENT_ID: 'ours',
      CASHFREE_CLIENT_SECRET: 'key',
    });
  });

  it('returns the stub alone when a variable is missing', () => {
    expect(own('cashfree', { LIVE_CASHFREE_CLIENT_ID: 'ours' })).toBeUndefined();
    expect(own('setu-pan', { LIVE_SETU_CLIENT_ID: 'ours', LIVE_SETU_CLIENT_SECRET: 'key' })).toBeUndefined();
    const fineract = { TENANT: 't', USER: 'u', PASSWORD: 'p', OFFICE_ID: '1' };
    const live = Object.entries(fineract).map(([name, value]) => [`LIVE_FINERACT_${name}`, value]);
    // each issuer has its own
    expect(own('fineract', Object.fromEntries(live))).toBeUndefined();
  });

  it('uses another URL when the environment names one', () => {
    const environment = { ...CREDENTIALS, LIVE_CASHFREE_URL: 'https://gateway.example/cashfree' };
    expect(own('cashfree', environment)).toMatchObject({ CASHFREE_URL: 'https://gateway.example/cashfree' });
  });
});
