import type { Exchange } from '../calls/exchange.js';
import { learnedFrom, messageOf } from './answer-words.js';
import { NO_FACTS, refused } from './facts.js';
import { ekycFailureOf, isOpenEkyc, recoveryOf, refusedFieldsOf, secondsToWait } from './recovery.js';
import { isDecided, isSucceeded, waitingFor } from './waiting-for.js';

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Exchange {
  const request = { method: 'POST', url: 'http://localhost:3001/', headers: {} };
  const rest = { id: 1, title: 'A call', isBackground: false, durationMs: 1, at: '2026-06-10T09:00:00Z' };
  return { ...rest, request, answer: { status, headers, body } };
}

const refusedWith = (status: number, errorCode: string, field?: string): Exchange =>
  answered(status, { error: [{ errorCode, field, error: 'No.' }] });
const withPayload = (payload: object, status = 200): Exchange =>
  answered(status, { message: 'SUCCESS', payload });

describe('recovery after a refusal', () => {
  it.each([
    ['an expired login code', refusedWith(400, 'SVCUSER2011'), 'restart', 'Send a new code'],
    ['an ended locker session', refusedWith(400, 'SVCUSER2433'), 'restart', 'Open a new locker session'],
    ['an expired lead', refusedWith(400, 'SVCUSER2442'), 'restart', 'Open a new lead'],
    ['an ended session', refusedWith(401, 'SVCUSER2105'), 'log-in', 'Log in again'],
    ['a step out of turn', refusedWith(409, 'SVCUSER2905'), 'follow', 'Go to the step that is due'],
    ['a provider that is down', refusedWith(503, 'SVCUSER2753'), 'repeat', 'Send it again'],
    ['too many calls', refusedWith(429, 'SVCUSER1517'), 'repeat', 'Send it again'],
    [
      'a wrong field',
      refusedWith(400, 'SVCUSER2603', 'communication_address.pincode'),
      'correct',
      'Correct pincode',
    ],
    ['an account that the bank has frozen', refusedWith(400, 'SVCUSER2752'), 'correct', 'Correct account'],
    ['a PAN that the registry does not know', refusedWith(400, 'SVCUSER2205'), 'correct', 'Correct number'],
    ['anything else', refusedWith(400, 'SVCUSER2216'), 'correct', 'Correct it'],
  ])('returns an action for %s', (_case, exchange, kind, label) => {
    expect(recoveryOf(exchange)).toMatchObject({ kind, label });
  });

  it.each([
    ['SVCUSER2013', '/auth/api/v2/register/verify', '/auth/register', 'LOGIN'],
    ['SVCUSER2505', '/api/v1/email/verify-otp', '/api/v1/email/send-otp', 'EMAIL'],
  ])(
    'sends a new code when %s refuses the check of a dead code, and waits when it refuses a send',
    (...the) => {
      const [code, check, send, step] = the;
      const refusedAt = (path: string): Exchange => {
        const exchange = refusedWith(429, code);
        return { ...exchange, request: { ...exchange.request, url: `http://localhost:3001${path}` } };
      };
      expect(recoveryOf(refusedAt(check))).toMatchObject({ kind: 'restart', label: 'Send a new code', step });
      expect(recoveryOf(refusedAt(send)).kind).toBe('repeat');
    },
  );

  it.each([
    ['SVCUSER2010', 'Send a new code', 'LOGIN', 'register'],
    ['SVCUSER2503', 'Send a new code', 'EMAIL', 'email-send'],
    ['SVCUSER2424', 'Send a new Aadhaar code', 'EKYC', 'aadhaar-send'],
  ])('sends a new code after the last wrong one: %s', (errorCode, label, step, key) => {
    const wrong = (left: number): Exchange =>
      answered(400, {
        error: [{ errorCode, f_error_message: `The code is wrong. Tries left: ${left}.` }],
      });
    expect(recoveryOf(wrong(0))).toEqual({ kind: 'restart', label, step, key });
    for (const left of [1, 4, 10])
      expect(recoveryOf(wrong(left))).toMatchObject({ kind: 'correct', field: 'otp' });
  });

  it.each([
    ['/api/v1/pan-verification?issuer_code=A', 'Continue with the eKYC', 'EKYC'],
    ['/api/v1/pan-verification/v1', 'Continue with the eKYC', 'EKYC'],
    ['/issuer-apis/kaveri/v3/check-status', 'Verify another PAN', 'PAN'],
    ['/issuer-apis/sahyadri/v1/aadhaar-ekyc/verify-otp', 'Verify another PAN', 'PAN'],
    ['/issuer-apis/kaveri/v1/document-locker/session/s1', 'Verify another PAN', 'PAN'],
  ])('opens the way out of a PAN of another person: %s', (path, label, step) => {
    const exchange = refusedWith(400, 'SVCUSER1036', 'number');
    const recovery = recoveryOf({
      ...exchange,
      request: { ...exchange.request, url: `http://localhost:3001${path}` },
    });
    expect(recovery).toMatchObject({ kind: 'open', label, step });
    expect(recovery.kind === 'open' && recovery.next).toMatch(/eKYC/);
  });

  it('names all refused fields, and the field of a refusal by a provider', () => {
    const items = [
      { errorCode: 'SVCUSER2601', field: 'communication_address.city', error: 'No.' },
      { errorCode: 'SVCUSER2601', error: 'No.' },
      { errorCode: 'SVCUSER2604', field: 'declarations.FATCA', error: 'No.' },
    ];
    expect(refusedFieldsOf(answered(400, { error: items }))).toEqual([
      'communication_address.city',
      'declarations.FATCA',
    ]);
    expect(refusedFieldsOf(refusedWith(400, 'SVCUSER1055'))).toEqual(['account_holder_full_name']);
  });

  it('repeats a call that got no answer', () => {
    const { answer: _none, ...rest } = withPayload({});
    expect(recoveryOf({ ...rest, problem: 'down' }).kind).toBe('repeat');
  });

  it('reads how long to wait, and how an eKYC ended', () => {
    expect(secondsToWait(answered(429, {}, { 'retry-after': '12' }))).toBe(12);
    expect(secondsToWait(answered(503, {}))).toBe(0);
    expect(ekycFailureOf(withPayload({ ekyc_status: 'EXPIRED' }))).toBe('EXPIRED');
    expect(ekycFailureOf(withPayload({ ekyc_status: 'LINK_CREATED' }))).toBeUndefined();
  });
});

describe('an open eKYC', () => {
  it.each([
    ['an answer with a link', { is_ekyc_verified: false, ekyc_status: 'LINK_CREATED' }, true],
    ['a verified eKYC', { is_ekyc_verified: true, ekyc_status: 'VERIFIED' }, false],
    ['the profile of a person without eKYC', { is_ekyc_verified: false, is_pan_verified: false }, false],
  ])('decides for %s whether the person has to act', (_case, payload, isOpen) => {
    expect(isOpenEkyc(withPayload(payload))).toBe(isOpen);
  });
});

describe('waiting', () => {
  it.each([
    ['a 202', withPayload({ pending_code: 'SVCUSER2210' }, 202), false],
    ['a fault that may pass', refusedWith(503, 'SVCUSER2404'), false],
    ['the stored fault of a PAN registry', refusedWith(503, 'SVCUSER2208'), true],
    ['the stored fault of a bank', refusedWith(503, 'SVCUSER2753'), true],
    ['the stored fault of an issuer', refusedWith(503, 'SVCUSER2403'), true],
    [
      'an open eKYC',
      withPayload({ is_ekyc_verified: false, ekyc_failed: false, ekyc_status: 'OPENED' }),
      false,
    ],
    ['an open locker', withPayload({ is_ekyc_verified: false, status: 'CREATED' }), false],
    ['a verified eKYC', withPayload({ is_ekyc_verified: true }), true],
    [
      'a failed eKYC',
      withPayload({ is_ekyc_verified: false, ekyc_failed: true, ekyc_status: 'FAILED' }),
      true,
    ],
    [
      'a link after a failed eKYC',
      withPayload({ is_ekyc_verified: false, ekyc_failed: true, ekyc_status: 'LINK_CREATED' }),
      false,
    ],
    ['a refusal', refusedWith(400, 'SVCUSER2431'), true],
    ['a verified PAN', withPayload({ is_pan_verified: true }), true],
  ])('decides for %s whether polling ends', (_case, exchange, isOver) => {
    expect(isDecided(exchange)).toBe(isOver);
  });

  it('knows that a decided eKYC is over once an answer names the next request', () => {
    const ekyc = { method: 'HOSTED', requestId: 'first', url: '', stage: 'decided' as const };
    const link = (id: string) =>
      withPayload({ is_ekyc_verified: false, ekyc_status: 'LINK_CREATED', ekyc_request_id: id });
    expect(isSucceeded(link('second'), { ...NO_FACTS, ekyc })).toBe(true);
    expect(isSucceeded(link('first'), { ...NO_FACTS, ekyc })).toBe(false);
    expect(isSucceeded(link('second'), { ...NO_FACTS, ekyc: { ...ekyc, stage: 'begun' } })).toBe(false);
    expect(isSucceeded(withPayload({ is_ekyc_verified: true }), { ...NO_FACTS, ekyc })).toBe(false);
  });

  it('begins with a pending result, and ends with its refusal', () => {
    const pending = { ...NO_FACTS, isPanPending: true };
    const next = { kind: 'call', step: 'PAN', key: 'pan-look' } as const;
    expect(waitingFor(next, pending)?.what).toBe('the PAN registry');
    expect(refused(pending, 'pan-look').isPanPending).toBe(false);
    expect(waitingFor({ kind: 'call', step: 'PAN', key: 'PAN' }, NO_FACTS)).toBeUndefined();
  });
});

describe('an answer in words', () => {
  it('omits fields for programs', () => {
    const payload = { verification_id: 'v1', is_pan_verified: true, attemptsLeft: 4, access_token: 'a.b.c' };
    expect(learnedFrom(withPayload(payload))).toBe('PAN verified: yes; Attempts left: 4');
    expect(messageOf(withPayload({}))).toBe('done');
  });

  it.each([
    [
      { ekyc_status: 'LINK_CREATED', ekyc_method: 'AADHAAR_OTP' },
      'eKYC status: Link created; eKYC method: Aadhaar OTP',
    ],
    [{ attemptsUsed: 0, attemptsLeft: 4, retryAfterSeconds: 0 }, 'Attempts left: 4'],
    [{ retryAfterSeconds: 30 }, 'Another can be sent in: 30 seconds'],
    [{ is_etb: false, customer_type: 'NTB', next_step: 'EKYC' }, 'Known to the issuer: no; Next step: eKYC'],
    [{ full_name: 'ARJUN CHOPRA', number: 'XXXXXX828T' }, 'Full name: ARJUN CHOPRA; Number: XXXXXX828T'],
  ])('shows tokens of the API as words: %j', (payload, words) => {
    expect(learnedFrom(withPayload(payload))).toBe(words);
  });

  it('shows a time with its date', () => {
    const at = new Date(2026, 10, 28, 9, 5, 7).toISOString();
    expect(learnedFrom(withPayload({ otpExpiresAt: at }))).toBe('OTP expires at: 28 Nov 2026, 09:05:07');
  });
});
