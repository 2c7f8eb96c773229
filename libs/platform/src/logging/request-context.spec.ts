import type { Request, Response } from 'express';
import { currentRequestId, requestContext } from './request-context.js';

/** The id answered for an incoming header, and the one seen inside the request. */
function idFor(header: string | string[] | undefined): { answered: string; inside: string | undefined } {
  const headers = new Map<string, string>();
  let inside: string | undefined;
  requestContext(
    { headers: { 'x-request-id': header } } as unknown as Request,
    { setHeader: (name: string, value: string) => headers.set(name, value) } as unknown as Response,
    () => {
      inside = currentRequestId();
    },
  );
  return { answered: headers.get('x-request-id')!, inside };
}

describe('requestContext', () => {
  it('takes a valid id over', () => {
    expect(idFor('gateway-1.2_3')).toEqual({ answered: 'gateway-1.2_3', inside: 'gateway-1.2_3' });
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
  ])('makes one instead of %j', (header) => {
    const { answered, inside } = idFor(header);
    expect(answered).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(inside).toBe(answered);
  });

  it('knows none outside of a request', () => {
    expect(currentRequestId()).toBeUndefined();
  });
});
