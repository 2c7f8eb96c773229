// What a development run is filled with: one client of the catalogue, two partners, a phone to try.

export const apiKey = { client: 'sandbox', key: 'sandbox-api-key' };

export const partners = [
  { slug: 'app', name: 'Sample app', url: 'https://app.partner.example', redirectOrigins: [] },
  {
    slug: 'northwind',
    name: 'Northwind Invest',
    url: 'https://invest.northwind.example',
    redirectOrigins: ['https://invest.northwind.example'],
  },
];

/** One of the phones whose code is fixed, so that a login needs no inbox. */
export const samplePhone = { phone: '919999900001', code: '123456' };

/**
 * The code of the sample phones is always the same; the one of phones that end in 0408, and of email addresses whose
 * part before the @ does, is dead on arrival.
 */
export const otpTestRules = String.raw`9199999000\d\d=code:123456;\d{8}0408=ttl:0;[^@]*0408@.*=ttl:0`;
