import type { Schema } from '../forms/schema.js';
import type { MagicValue, Person } from '../shell/sandbox-api.js';
import { decided, type Facts, learn, NO_FACTS } from './facts.js';
import type { Call, Journey, JourneyStep } from './journey.js';
import { provocationsOf, provokingValue } from './magic.js';
import { type Action, callsOf, nextAction, STEP_TEXTS, textOf } from './plan.js';
import {
  bodyFor,
  codeAddress,
  type Filling,
  inUse,
  provokedAfterRefusal,
  unprovoked,
  valuesAfter,
} from './prefill.js';

const PERSON: Person = {
  phone: '919812345678',
  pan: 'ABCPR1234K',
  dob: '1990-04-21',
  email: 'person.123@mail.example',
  aadhaar: '234567812346',
  account: '501000123456',
  ifsc: 'HDFC0001234',
};

/** A journey whose steps before `open` are done, and those after it locked. */
function journeyAt(open: string | undefined, status: JourneyStep['status'] = 'DUE'): Journey {
  const names = Object.keys(STEP_TEXTS);
  const at = open === undefined ? names.length : names.indexOf(open);
  const steps = names.map((step, index) => ({
    step,
    status: index < at ? ('DONE' as const) : index === at ? status : ('LOCKED' as const),
    reason: null,
    api: { method: 'POST', path: `/api/${step.toLowerCase()}` },
    expected_params: {},
  }));
  return { issuer_code: 'KAVSFB', steps, next_step: open ?? null, percent_complete: 0 };
}

const said = (action: Action): string =>
  action.kind === 'call' ? action.key : action.kind === 'decide' ? `decide ${action.what}` : action.kind;

const around = (facts: Facts = NO_FACTS) => ({ slug: 'kaveri', facts, document: undefined });

describe('the next call', () => {
  it('begins with a code and the login in every journey', () => {
    expect(said(nextAction(undefined, NO_FACTS, undefined))).toBe('register');
    expect(said(nextAction(undefined, learn(NO_FACTS, 'register', {}), undefined))).toBe('LOGIN');
  });

  it.each(['HOME', 'LEAD', 'PAN', 'PERSONAL_DETAILS', 'NOMINEE'])(
    'is the first step that is open: %s',
    (step) => {
      expect(said(nextAction(journeyAt(step), NO_FACTS, undefined))).toBe(step);
      expect(said(nextAction(journeyAt(step, 'FAILED'), NO_FACTS, undefined))).toBe(step);
    },
  );

  it('checks for an existing customer before the eKYC, because a match skips it', () => {
    expect(said(nextAction(journeyAt('EKYC'), NO_FACTS, undefined))).toBe('check-etb');
  });

  const path = (method: string, deeds: readonly string[]): string[] => {
    const payloads: Record<string, object> = {
      EKYC: { is_ekyc_verified: false, ekyc_method: method, ekyc_request_id: 'r1', ekyc_url: 'https://a/' },
      'locker-open': { session_id: 's1', url: 'https://b/' },
    };
    let facts = learn(NO_FACTS, 'check-etb', {});
    return deeds.map((deed) => {
      const action = said(nextAction(journeyAt('EKYC'), facts, undefined));
      facts = deed.startsWith('decide ')
        ? decided(facts, deed.slice(7) as 'ekyc')
        : learn(facts, deed, (payloads[deed] ?? {}) as Record<string, unknown>);
      return action;
    });
  };

  it.each([
    ['HOSTED', ['EKYC', 'decide ekyc', 'EKYC']],
    ['AADHAAR_OTP', ['EKYC', 'aadhaar-send', 'aadhaar-verify', 'EKYC']],
    ['DIGILOCKER', ['EKYC', 'locker-open', 'decide locker', 'locker-look', 'EKYC']],
  ])('completes the eKYC by %s', (method, deeds) => {
    expect(path(method, deeds)).toEqual(deeds);
  });

  it('repeats a decision that had no effect', () => {
    expect(path('HOSTED', ['EKYC', 'decide ekyc', 'EKYC', 'decide ekyc'])).toContain('decide ekyc');
    const again = path('HOSTED', ['EKYC', 'decide ekyc', 'EKYC', 'decide ekyc']);
    expect(again.at(-1)).toBe('decide ekyc');
  });

  it('waits for a bank that is still at work', () => {
    const facts = learn(NO_FACTS, 'BANK', { verification_id: 'v1', pending_code: 'SVCUSER2754' });
    expect(said(nextAction(journeyAt('BANK', 'IN_PROGRESS'), facts, undefined))).toBe('bank-look');
    const done = learn(facts, 'bank-look', { verification_id: 'v1' });
    expect(said(nextAction(journeyAt('BANK', 'IN_PROGRESS'), done, undefined))).toBe('BANK');
  });

  /** A journey whose HOME was skipped while a later step is pending. */
  const withoutHome = (step: string, status: JourneyStep['status']): Journey => {
    const { steps, ...rest } = journeyAt(step, status);
    const skipped = steps.map((one) => (one.step === 'HOME' ? { ...one, status: 'DUE' as const } : one));
    return { ...rest, steps: skipped };
  };

  it.each([
    ['PAN', 'IN_PROGRESS', learn(NO_FACTS, 'PAN', { pending_code: 'c' }), 'pan-look'],
    ['EKYC', 'IN_PROGRESS', learn(NO_FACTS, 'EKYC', { ekyc_method: 'HOSTED' }), 'decide ekyc'],
    ['EKYC', 'DUE', learn(NO_FACTS, 'EKYC', { ekyc_method: 'AADHAAR_OTP' }), 'aadhaar-send'],
    ['EMAIL', 'IN_PROGRESS', NO_FACTS, 'EMAIL'],
    ['BANK', 'IN_PROGRESS', learn(NO_FACTS, 'BANK', { pending_code: 'c' }), 'bank-look'],
    ['PAN', 'FAILED', NO_FACTS, 'PAN'],
    ['EKYC', 'DUE', NO_FACTS, 'HOME'],
  ] as const)('after a skipped HOME, with %s %s', (step, status, facts, expected) => {
    expect(said(nextAction(withoutHome(step, status), facts, undefined))).toBe(expected);
  });

  it('continues the eKYC of a person whose PAN belongs to another', () => {
    const { steps, ...rest } = journeyAt('EKYC', 'IN_PROGRESS');
    const contested = steps.map((one) => (one.step === 'PAN' ? { ...one, status: 'FAILED' as const } : one));
    const facts = learn(NO_FACTS, 'EKYC', { ekyc_method: 'HOSTED' });
    expect(said(nextAction({ ...rest, steps: contested }, facts, undefined))).toBe('decide ekyc');
  });

  it.each([
    ['the login', { kind: 'call', step: 'LOGIN', key: 'LOGIN' }, 'Log in'],
    [
      'a further call of a step that is done',
      { kind: 'call', step: 'PAN', key: 'check-etb' },
      'Check for an existing customer',
    ],
    ['a decision', { kind: 'decide', step: 'EKYC', what: 'ekyc' }, 'eKYC'],
    ['the end', { kind: 'book' }, 'Booking check'],
  ] as const)('is named by its call: %s', (_case, action, title) => {
    const text = textOf(action, journeyAt('EKYC'), around());
    expect(text.title).toBe(title);
    expect(text.what).not.toBe('');
    expect(text.what === STEP_TEXTS['PAN']!.what).toBe(false);
  });

  it('ends with the booking check', () => {
    const all = journeyAt(undefined);
    expect(nextAction(all, NO_FACTS, undefined)).toEqual({ kind: 'book' });
    const booking = { is_bookable: false, blockers: [], warnings: [] };
    expect(nextAction(all, NO_FACTS, booking)).toEqual({ kind: 'over', isReady: false });
  });
});

describe('the calls of a step', () => {
  const keys = (step: string, facts?: Facts) =>
    callsOf(step, journeyAt(step), around(facts)).map(({ key }) => key);

  it("begin with the journey's call", () => {
    expect(callsOf('PAN', journeyAt('PAN'), around())[0]).toMatchObject({ path: '/api/pan', schema: {} });
    expect(keys('LOGIN')).toEqual(['register', 'LOGIN']);
  });

  it('match the eKYC method of the issuer', () => {
    const facts = (method: string): Facts =>
      learn(NO_FACTS, 'EKYC', { ekyc_method: method, ekyc_request_id: 'r' });
    expect(keys('EKYC', facts('HOSTED'))).toEqual(['EKYC']);
    expect(keys('EKYC', facts('AADHAAR_OTP'))).toEqual(['EKYC', 'aadhaar-send']);
    expect(keys('EKYC', learn(facts('DIGILOCKER'), 'locker-open', { session_id: 's1' }))).toEqual([
      'EKYC',
      'locker-open',
      'locker-look',
    ]);
  });

  it('have their path parameters filled in', () => {
    const facts = learn(NO_FACTS, 'BANK', { verification_id: 'v1' });
    const [, look] = callsOf('BANK', journeyAt('BANK'), around(facts));
    expect(look!.path).toBe('/api/v1/bank/verification/v1');
  });
});

describe('the prefilled body of a call', () => {
  const filling: Filling = {
    person: PERSON,
    partnerUrl: 'https://app.partner.example',
    issuerCode: 'KAVSFB',
    facts: { ...NO_FACTS, leadId: 'lead-1' },
    deposit: { amount: 50_000, tenure: 730 },
    now: new Date('2026-11-21T12:00:00Z'),
    uuid: () => 'uuid-1',
  };
  const text = { type: 'string' };
  const call = (path: string, required: readonly string[], key = 'PAN'): Call => {
    const schema: Schema = {
      type: 'object',
      required,
      properties: Object.fromEntries(required.map((name) => [name, text])),
    };
    return { key, step: 'PAN', title: '', method: 'POST', path, schema };
  };

  it("contains the person's values by field name", () => {
    const body = bodyFor(call('/api/v1/pan-verification', ['number', 'dob']), filling);
    expect(body).toEqual({ number: PERSON.pan, dob: PERSON.dob });
    expect(bodyFor(call('/x/v1/kyc-context', ['lead_id']), filling)).toEqual({ lead_id: 'lead-1' });
  });

  it('contains fields that the schema cannot require', () => {
    expect(bodyFor(call('/api/v1/insights-tracking', []), filling)).toMatchObject({
      event_id: 'uuid-1',
      occurred_at: '2026-11-21T12:00:00.000Z',
    });
    expect(bodyFor(call('/api/v1/user-nominee', []), filling)).toMatchObject({ dob: '1987-03-09' });
  });

  it('is empty for a call without a body', () => {
    expect(bodyFor({ ...call('/api/v1/user-profile', []), schema: undefined }, filling)).toBeUndefined();
  });

  it.each([
    ['/auth/api/v2/register/verify', 'LOGIN', PERSON.phone],
    ['/api/v1/email/verify-otp', 'EMAIL', PERSON.email],
    ['/issuer-apis/sahyadri/v1/aadhaar-ekyc/verify-otp', 'aadhaar-verify', PERSON.aadhaar],
  ])('leaves the code of %s to the inbox', (path, key, address) => {
    const verify = call(path, ['otp'], key);
    expect(codeAddress(verify, { phone: PERSON.phone, email: PERSON.email }, PERSON)).toBe(address);
    expect(codeAddress(call(path, []), {}, PERSON)).toBeUndefined();
  });

  const magicRow = (input: string, value: string): MagicValue => ({
    ...{ input, value, sample: '', what: input, effect: 'It fails.', provider: null },
  });
  const ROWS = [magicRow('phone', '0503'), magicRow('pan', '0404'), magicRow('email', '0408')];

  it("uses a typed value as the person's own unless it provokes a failure", () => {
    const register = call('/auth/register', ['phone']);
    const own = { person: PERSON, provoked: {} };
    const typed = valuesAfter(own, register, { phone: '919876540001', otp: '1' }, ROWS);
    expect(typed).toEqual({ person: { ...PERSON, phone: '919876540001' }, provoked: {} });
    const provoking = valuesAfter(typed, register, { phone: '919876540503' }, ROWS);
    expect(provoking.person.phone).toBe('919876540001');
    expect(inUse(provoking).phone).toBe('919876540503');
    expect(valuesAfter(provoking, register, { phone: '919876540001' }, ROWS)).toEqual(typed);
    const nominee = { ...call('/api/v1/user-nominee', []), step: 'NOMINEE' };
    expect(valuesAfter(own, nominee, { dob: '1987-03-09' }, ROWS)).toBe(own);
  });

  it('drops what a refused step provoked, and keeps the rest', () => {
    const register = call('/auth/register', ['phone']);
    const provoked = { phone: '919876540408', email: 'person.0408@mail.example' };
    expect(provokedAfterRefusal(provoked, { ...register, step: 'EMAIL' })).toEqual({ phone: '919876540408' });
    expect(provokedAfterRefusal(provoked, { ...register, step: 'HOME' })).toBe(provoked);
  });

  it('restores the own values of a body that provoked a failure', () => {
    const body = { number: 'ABCPR0404K', dob: PERSON.dob };
    expect(unprovoked(body, PERSON, ROWS)).toEqual({ number: PERSON.pan, dob: PERSON.dob });
    expect(unprovoked({ number: PERSON.pan }, PERSON, ROWS)).toBeUndefined();
    expect(unprovoked(undefined, PERSON, ROWS)).toBeUndefined();
  });
});

describe('provocable failures', () => {
  const magic = (input: string, value: string, sample = 'sample'): MagicValue => ({
    ...{ input, value, sample, what: input, effect: 'It fails.', provider: null },
  });

  it('are listed at their field', () => {
    const rows = [magic('pan', '0404'), magic('phone', '0503')];
    expect(provocationsOf('number', rows)).toEqual([rows[0]]);
    expect(provocationsOf('ifsc', rows)).toEqual([]);
  });

  it.each([
    ['phone', '0503', '919812340503'],
    ['pan', '0404', 'ABCPR0404K'],
    ['account', '1454', '501000121454'],
    ['email', '0505', 'person.123.0505@mail.example'],
    ['aadhaar', '0422', 'sample'],
    ['phone', '919999900000 to 919999900099', 'sample'],
  ])('takes a value of the person for %s %s', (input, value, expected) => {
    expect(provokingValue(magic(input, value), PERSON)).toBe(expected);
  });
});
