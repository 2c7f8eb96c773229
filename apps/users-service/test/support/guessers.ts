import { LoginErrors } from '@fd/errors';
import { callUntilServed, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { verifyBody } from './login.js';
import type { UsersApp } from './users-app.js';

/** At once. */
const GUESSERS = 8;

/** What came of an attack: calls by what was answered. */
export interface Guesses {
  /** Codes that were sent. */
  sent: number;
  /** Codes that were refused because too many were sent. */
  suspended: number;
  /** Guesses that were compared with a code. */
  compared: number;
  /** Guesses that were right. */
  right: number;
}

/** Asks for a code of each phone, and guesses it once, each from an address and a network of its own: what limits of a phone do not see. */
export async function guessOnceAtEach(
  phones: readonly string[],
  { api }: Pick<UsersApp, 'api'>,
): Promise<Guesses> {
  const guesses: Guesses = { sent: 0, suspended: 0, compared: 0, right: 0 };
  const waiting = phones.map((phone, i) => ({
    phone,
    ip: `${10 + (i & 127)}.${(i >> 7) & 255}.${i >> 15}.7`,
  }));
  const guess = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { phone } = next;
      const options = { headers: { 'x-forwarded-for': next.ip } };
      const register = await callUntilServed(() => api.post('/auth/register', { phone }, options));
      if (register.status === 201) guesses.sent++;
      else if (codeIn(register) === LoginErrors.sendsSuspended.code) guesses.suspended++;
      else throw new Error(`a code was answered ${register.status}: ${register.text}`);
      const verify = await callUntilServed(() =>
        api.post('/auth/api/v2/register/verify', verifyBody(phone, '271828'), options),
      );
      if (verify.status === 200) guesses.right++;
      if (codeIn(verify) === LoginErrors.otpWrong.code) guesses.compared++;
    }
  };
  await inParallel(GUESSERS, guess);
  return guesses;
}

const codeIn = ({ body }: Response): string | undefined =>
  (body as { error?: { errorCode: string }[] }).error?.[0]?.errorCode;
