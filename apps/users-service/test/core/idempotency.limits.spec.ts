import { IdempotencyErrors } from '@fd/errors';
import type { Response } from 'supertest';
import { expectRefusal } from '@fd/testing';
import { aPhone } from '../support/inbox.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let keys = 0;
const aKey = () => `key-${process.pid}-${keys++}`;

const register = (phone: string, key: string): Promise<Response> =>
  service.api.post('/auth/register', { phone }, { headers: { 'idempotency-key': key } });

const retryAfter = ({ headers }: Response) => (headers as Record<string, string>)['retry-after'];

describe('Idempotency-Key header', () => {
  it('returns a Retry-After of one second past the deadline of an abandoned call', async () => {
    const [phone, key] = [aPhone(), aKey()];
    await register(phone, key);
    await loseAnswers();
    const refused = await register(phone, key);
    expectRefusal(refused, IdempotencyErrors.callRunning);
    expect(Number(retryAfter(refused))).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter(refused))).toBeLessThanOrEqual(3);
    await setAge('2 seconds');
    const sooner = await register(phone, key);
    expectRefusal(sooner, IdempotencyErrors.callRunning);
    expect(retryAfter(sooner)).toBe('1');
    await setAge('3 seconds');
    expect((await register(phone, key)).status).toBe(201);
  });
});

/** Imitates the death of a replica after its work: no stored answer says how the calls ended. */
async function loseAnswers(): Promise<void> {
  await service.dataSource.query('UPDATE onboarding.idempotent_calls SET answer_encrypted = NULL');
}

/** Lets the call have begun so long ago, however long the test has taken. */
async function setAge(age: string): Promise<void> {
  await service.dataSource.query(
    `UPDATE onboarding.idempotent_calls
        SET started_at = now() - $1::interval, expires_at = now() - $1::interval + (expires_at - started_at)`,
    [age],
  );
}
