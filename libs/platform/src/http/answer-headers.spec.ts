import type { IncomingHttpHeaders } from 'node:http';
import { answerHeaders } from './answer-headers.js';

type Origins = Parameters<typeof answerHeaders>[0];

/** Headers of the answer to a request with these headers, by name. */
function answered(
  headers: IncomingHttpHeaders,
  origins: Origins = [],
  { isDraining = false, isTlsDemanded = true } = {},
) {
  const list = answerHeaders(origins, { isDraining }, isTlsDemanded)({ headers });
  const pairs = list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!] as const] : []));
  return Object.fromEntries(pairs);
}

describe('the headers of every answer', () => {
  it.each([
    '0198c0de-1a2b-7c3d-8e4f-00000000000a',
    '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ])('keeps the machine-made request id %s', (id) => {
    expect(answered({ 'x-request-id': id })['x-request-id']).toBe(id);
  });

  it.each([
    undefined,
    '',
    'short',
    'x'.repeat(129),
    'bad id with blanks',
    'line\r\nbreak',
    '<script>',
    'ａｂｃｄｅｆｇｈ',
    '919876543210',
    '9876543210',
    'ABCDE1234F',
    'asha.verma-1990',
    'retry-of-919876543210',
    '00000000-0000-4000-8000-919876543210',
    'aaaaaaaa-0000-4000-8000-919876543210',
    'aaaaaaaa-0000-4000-8000-009876543210',
    'aaaaaaaaaaaaaaaaaaaa919876543210',
    'aaaaa9876543210aaaaaaaaaaaaaaaaa',
    'aaaaaaaa-0000-4000-8000-a9876543210a',
    '91987654-3210-4000-8000-aaaaaaaaaaaa',
    'aaaaaaaaABCDE1234Faaaaaaaaaaaaaa',
    'ABCDE123-4Faa-4000-8000-aaaaaaaaaaaa',
    'aaaaaaaa-0000-4000-8000-234123412346',
    'aaaaaaaa-9199-9990-0001-aaaaaaaaaaaa',
    'aaaaaaaa-9876-5432-8000-aaaaaaaaaaaa',
    '0000000a-2345-4789-8123-aaaaaaaaaaaa',
    '000abcde-1234-fabc-8000-aaaaaaaaaaaa',
    'aaaaaaaa-aaaa-4234-8678-9012aaaaaaaa',
    'aaaaaaaa-aaaa-4aaa-8234-56789012aaaa',
    'aaaaaaaa-aaaa-8765-9432-10aaaaaaaaaa',
    'aaaaaaaa-aaaa-4aaa-9199-99900001aaaa',
    'aaaa2341-2341-2346-8aaa-aaaaaaaaaaaa',
    'aaaa9812-3456-78aa-8aaa-aaaaaaaaaaaa',
    'a2341234-1234-6aaa-8aaa-aaaaaaaaaaaa',
    'aaaaaaa9-8123-4567-8aaa-aaaaaaaaaaaa',
    'aaabcde1-234f-4aaa-8aaa-a0a0a0a0a0a0',
    'aaaaaaaa-aaaa-4aaa-8aa2-34123412346a',
    '4bf92f3577b34da6a3ce929d0e0e4736, 4bf92f3577b34da6a3ce929d0e0e4736',
  ])('replaces the request id %j', (header) => {
    const { 'x-request-id': id } = answered({ 'x-request-id': header });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(id).not.toBe(header);
  });

  it('demands TLS from browsers for a year when the setting requires it', () => {
    const strict = 'strict-transport-security';
    expect(answered({})[strict]).toBe('max-age=31536000; includeSubDomains');
    expect(answered({}, [], { isTlsDemanded: false })).not.toHaveProperty(strict);
  });

  it('forbids caching, and allows pages to read headers', () => {
    expect(answered({})).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      vary: 'Origin',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
    });
  });

  const ours = 'https://app.example';
  it.each<[Origins, string | undefined, string | undefined]>([
    [[ours], ours, ours],
    [[ours], 'https://app.example.evil', undefined],
    [[ours], undefined, undefined],
    [[], ours, undefined],
    [true, 'https://any.example', 'https://any.example'],
    [true, undefined, undefined],
  ])('allow, with the origins %j, the page %j to read the answer as %j', (origins, origin, allowed) => {
    expect(answered({ origin }, origins)['access-control-allow-origin']).toBe(allowed);
  });

  it('closes connections only while the service shuts down', () => {
    expect(answered({})).not.toHaveProperty('connection');
    expect(answered({}, [], { isDraining: true })).toMatchObject({ connection: 'close' });
  });
});
