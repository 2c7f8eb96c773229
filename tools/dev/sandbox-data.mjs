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
