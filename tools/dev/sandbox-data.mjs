// Development data: an API key of the catalogue, two partners, sample phones.

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

/** A phone with a fixed code, so that a login needs no inbox. */
export const samplePhone = { phone: '919999900001', code: '123456' };

/**
 * The sample phones have a fixed code. Codes of phones that end in 0408, and of email addresses whose local part does, have
 * expired on arrival.
 */
export const otpTestRules = String.raw`9199999000\d\d=code:123456;\d{8}0408=ttl:0;[^@]*0408@.*=ttl:0`;
