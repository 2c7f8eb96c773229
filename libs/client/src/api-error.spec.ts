import { apiErrorOf } from './api-error.js';

const answer = (status: number, headers: Record<string, string> = {}): Response =>
  new Response(null, { status, headers });

const item = (errorCode: string, f_error_reason: string) => ({
  errorCode,
  f_error_reason,
  f_error_message: 'Read me.',
  error: 'text',
});

describe('a refusal', () => {
  it('contains the refusal of the service', () => {
    const headers = { 'retry-after': '7', 'x-request-id': 'r1' };
    const body = { message: 'Too Many Requests', error: [item('SVCUSER1517', 'RATE_LIMITED')] };
    expect(apiErrorOf(answer(429, headers), body)).toMatchObject({
      message: '429 SVCUSER1517 text',
      code: 'SVCUSER1517',
      reason: 'RATE_LIMITED',
      statusCode: 429,
      requestId: 'r1',
      retryAfterSeconds: 7,
      isRetryable: true,
      userMessage: 'Read me.',
    });
  });

  it('names its field, if it has one', () => {
    const about = (more: object) =>
      apiErrorOf(answer(400), { error: [{ ...item('SVCUSER2904', 'X'), ...more }] }).items[0]!.field;
    expect(about({ field: 'nominees[1].name' })).toBe('nominees[1].name');
    for (const nothing of [{}, { field: '' }, { field: 3 }]) expect(about(nothing)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['no body', undefined],
    ['a web page', '<html>'],
    ['nothing', null],
    ['malformed JSON', { message: 'Bad request', error: { statusCode: 400, message: 'Unexpected token' } }],
    ['a list of nothing', { error: [null, 3] }],
    ['another code', { error: [item('SVCUSER9999', 'NEW')] }],
    ['wrong types', { message: 3, error: [{ errorCode: 5, f_error_reason: {} }] }],
  ])('has no code for %s', (_, body) => {
    const error = apiErrorOf(answer(502), body);
    expect(error).toMatchObject({ code: null, statusCode: 502, isRetryable: false });
    expect(error.message).toMatch(/^502 \S/);
  });

  it('returns no seconds to wait when Retry-After is a date', () => {
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT';
    expect(apiErrorOf(answer(503, { 'retry-after': date }), {}).retryAfterSeconds).toBeNull();
  });
});
