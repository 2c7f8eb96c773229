import { isHttpUrl } from './http-url.js';

describe('isHttpUrl', () => {
  it.each([
    'https://app.partner.example',
    'http://localhost:5173/back?a=1#b',
    'HTTPS://App.Partner.Example/',
    'https://[::1]/',
    `https://a.example/${'a'.repeat(2_030)}`,
  ])('accepts %s', (url) => {
    expect(isHttpUrl(url)).toBe(true);
  });

  it.each([
    undefined,
    42,
    '',
    'app.partner.example',
    '//app.partner.example',
    'ftp://app.partner.example',
    'https://',
    'https://user@app.partner.example',
    'https://user:pass@app.partner.example',
    'https://a b.example',
    'https://a.example\n',
    'https://a.example\u0000',
    `https://a.example/${'a'.repeat(2_031)}`,
    // parsers differ about the host of these
    'https:app.partner.example',
    'https:/app.partner.example',
    'https:///app.partner.example',
    'https:\\\\app.partner.example',
    'https://app.partner.example\\.evil.example',
    'https://evil.example\\@app.partner.example',
  ])('refuses %j', (url) => {
    expect(isHttpUrl(url)).toBe(false);
  });
});
