import request from 'supertest';
import { Effects, EFFECTS_CAPACITY, REMEMBERED_KEYS } from '../../src/effects/effects.service.js';
import * as body from '../support/outside-bodies.js';
import { ask, effectsOf } from '../support/outside-call.js';
import { anSms, bootSandbox, documentedClient, sendSms } from '../support/sandbox.js';

describe('ledger of effects', () => {
  const sandbox = bootSandbox();

  it('lists one entry for each effect, newest first, and counts the calls', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    for (let n = 0; n < 3; n++) await ask(sandbox, body.BANK_PATH, body.aBankVerification(), 'k-1');
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    expect(await effectsOf(sandbox)).toMatchObject([
      { provider: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: null, calls: 1 },
      { provider: 'bank', kind: 'penny_drop', subject: '501000121234', idempotency_key: 'k-1', calls: 3 },
      { provider: 'pan', kind: 'lookup', subject: 'ABCPR1234K', idempotency_key: null, calls: 1 },
    ]);
  });

  it('filters by provider and by subject', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification());
    await ask(sandbox, body.BANK_PATH, body.aBankVerification({ account_number: '501000129999' }));
    const subjects = async (query: object) => (await effectsOf(sandbox, query)).map(({ subject }) => subject);
    expect(await subjects({ provider: 'bank' })).toEqual(['501000129999', '501000121234']);
    expect(await subjects({ subject: 'ABCPR1234K' })).toEqual(['ABCPR1234K']);
    expect(await subjects({ provider: 'bank', subject: '501000121234' })).toEqual(['501000121234']);
    expect(await subjects({ provider: 'nobody' })).toEqual([]);
    await request(sandbox.baseUrl).get('/api/effects?provider=a&provider=b').expect(400);
  });

  it('returns as many of the newest effects as requested', async () => {
    for (const to of ['919000000001', '919000000002', '919000000003']) await sendSms(sandbox, anSms({ to }));
    const { body } = await documentedClient(sandbox).get('/api/effects', { query: { limit: '2' } });
    const { effects } = body as { effects: { subject: string }[] };
    expect(effects.map(({ subject }) => subject)).toEqual(['919000000003', '919000000002']);
    for (const limit of ['0', '-1', '1.5', 'all'])
      await request(sandbox.baseUrl).get(`/api/effects?limit=${limit}`).expect(400);
  });

  it('gives each effect an id and a time in Indian time', async () => {
    await ask(sandbox, body.PAN_PATH, body.aPanVerification());
    const [effect] = await effectsOf(sandbox);
    expect(effect).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/),
    });
  });

  it('lists a message for each SMS provider that delivered it', async () => {
    const sms = { to: '919812345678', template_id: 'login_otp', text: '482913' };
    await ask(sandbox, '/providers/sms/primary/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    await ask(sandbox, '/providers/sms/fallback/messages', sms, 'k');
    expect(await effectsOf(sandbox, { provider: 'sms', subject: '919812345678' })).toMatchObject([
      { kind: 'message', idempotency_key: 'k', calls: 2 },
      { kind: 'message', idempotency_key: 'k', calls: 1 },
    ]);
  });

  it('stores only the newest effects and keys', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const once = (n: number) =>
      effects.once({ provider: 'p', kind: 'k', subject: `s${n}`, idempotencyKey: `k${n}` }, () => ({ n }));
    const first = once(0);
    const second = once(1);
    for (let n = 2; n <= REMEMBERED_KEYS; n++) once(n);
    expect(effects.list()).toHaveLength(EFFECTS_CAPACITY);
    expect(effects.list()[0]!.subject).toBe(`s${REMEMBERED_KEYS}`);
    expect(once(1)).toBe(second);
    expect(once(0)).not.toBe(first);
  });

  it('does not store the key of failed work', () => {
    const effects = sandbox.app.get(Effects, { strict: false });
    const effect = { provider: 'p', kind: 'k', subject: 's', idempotencyKey: 'key' };
    const fail = () => {
      throw new Error('failed');
    };
    expect(() => effects.once(effect, fail)).toThrow('failed');
    expect(effects.list()).toEqual([]);
    expect(effects.once(effect, () => 'done')).toBe('done');
    expect(effects.once(effect, fail)).toBe('done');
  });
});
