import { placesOf } from '../support/vendor-places.config.js';

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
