import { requestIdFor } from './request-id.js';

describe('the request id of an answer', () => {
  it.each([
    '0198c0de-1a2b-7c3d-8e4f-00000000000a',
    '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ])('keeps the machine-made request id %s', (id) => {
    expect(requestIdFor({ 'x-request-id': id })).toBe(id);
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
    const id = requestIdFor({ 'x-request-id': header });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(id).not.toBe(header);
  });
});
