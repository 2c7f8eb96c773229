import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AnswerHeaders } from './answer-headers.js';

type Origins = ConstructorParameters<typeof AnswerHeaders>[0];

/** What is answered to a request with these headers, by name. */
function answered(headers: IncomingHttpHeaders, origins: Origins = [], isDraining = false) {
  const list = new AnswerHeaders(origins, { isDraining }).of({ headers } as IncomingMessage);
  const pairs = list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!] as const] : []));
  return Object.fromEntries(pairs);
}

describe('the headers of every answer', () => {
  it('take a valid request id over', () => {
    expect(answered({ 'x-request-id': 'gateway-1.2_3' })['x-request-id']).toBe('gateway-1.2_3');
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
  ])('make one instead of %j', (header) => {
    const { 'x-request-id': id } = answered({ 'x-request-id': header });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  it('let nothing be kept, and pages read what is told in headers', () => {
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
  ])('with origins %j, a page of %j may read as %j', (origins, origin, allowed) => {
    expect(answered({ origin }, origins)['access-control-allow-origin']).toBe(allowed);
  });

  it('close connections only once the service is to end', () => {
    expect(answered({}, [], false)).not.toHaveProperty('connection');
    expect(answered({}, [], true)).toMatchObject({ connection: 'close' });
  });
});
