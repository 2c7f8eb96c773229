import { PanErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import type { Response } from 'supertest';
import { aPhone, codeOf, wrongCode } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns all features by which a client could distinguish two answers: all but ids, times and call counts. */
function looksOf({ status, headers, body }: Response): object {
  const { 'x-request-id': _id, date: _date, ...others } = headers as Record<string, string>;
  const counted = Object.entries(others).map(([name, value]) => [
    name,
    name.startsWith('x-ratelimit') ? '' : value,
  ]);
  const envelope = { ...(body as { payload: object }) };
  return {
    status,
    headers: Object.fromEntries(counted),
    body: {
      ...envelope,
      payload: Object.fromEntries(
        Object.keys(envelope.payload).map((key) => [key, typeOf(envelope.payload, key)]),
      ),
    },
  };
}

const typeOf = (payload: object, key: string): string => typeof (payload as Record<string, unknown>)[key];

const aKnownPhone = async () => (await logIn(service)).phone;

describe('POST /auth/register', () => {
  it('gives the same answer to a code request for a known and for an unknown phone', async () => {
    const [known, unknown] = [await aKnownPhone(), aPhone()];
    const answers = await Promise.all(
      [known, unknown].map((phone) => service.api.post('/auth/register', { phone })),
    );
    expect(looksOf(answers[0]!)).toEqual(looksOf(answers[1]!));
    expect(answers[0]!.status).toBe(201);
  });
});

describe('POST /auth/api/v2/register/verify', () => {
  it.each(['before a code was sent', 'after a code was sent'])(
    'gives the same answer to a wrong code for a known and for an unknown phone %s',
    async (when) => {
      const phones = [await aKnownPhone(), aPhone()];
      const answers: Response[] = [];
      for (const phone of phones) {
        const isSent = when.startsWith('after');
        if (isSent) await service.api.post('/auth/register', { phone });
        const code = isSent ? wrongCode(await codeOf(phone)) : '123456';
        answers.push(await service.api.post('/auth/api/v2/register/verify', verifyBody(phone, code)));
      }
      expect(looksOf(answers[0]!)).toEqual(looksOf(answers[1]!));
      expect(answers[0]!.status).toBe(400);
    },
  );
});

describe('POST /api/v1/pan-verification', () => {
  it('refuses a PAN of another user without revealing or storing anything about that user', async () => {
    const { number, dob, full_name, father_name } = await verifyPan(as(service.api, await logIn(service)));
    const stranger = as(service.api, await logIn(service));
    const answer = await postPan(stranger, panBody(number, dob));
    expectRefusal(answer, PanErrors.belongsToAnotherUser);
    for (const value of [number, full_name, father_name, dob]) expect(answer.text).not.toContain(value);
    const { payload } = (await stranger.get('/api/v1/user-profile')).body as { payload: object };
    expect(payload).toMatchObject({ pan: null, full_name: null, dob: null, is_pan_verified: false });
  });
});
