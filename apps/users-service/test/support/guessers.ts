import { LoginErrors } from '@fd/errors';
import { inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { verifyBody } from './login.js';
import type { UsersApp } from './users-app.js';

/** Guessers in parallel. */
const GUESSERS = 8;

/** The result of an attack: number of calls by answer. */
interface Guesses {
  /** Codes sent. */
  sent: number;
  /** Sends refused because too many codes were sent. */
  suspended: number;
  /** Guesses compared with a code. */
  compared: number;
  /** Correct guesses. */
  right: number;
}

/**
 * Requests a code for each phone and guesses it once. Each phone has its own address and network, so that limits per
 * phone or address never apply.
 */
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
      const register = await api.post('/auth/register', { phone }, options);
      if (register.status === 201) guesses.sent++;
      else if (codeIn(register) === LoginErrors.sendsSuspended.code) guesses.suspended++;
      else throw new Error(`a code was answered ${register.status}: ${register.text}`);
      const verify = await api.post('/auth/api/v2/register/verify', verifyBody(phone, '271828'), options);
      if (verify.status === 200) guesses.right++;
      if (codeIn(verify) === LoginErrors.otpWrong.code) guesses.compared++;
    }
  };
  await inParallel(GUESSERS, guess);
  return guesses;
}

const codeIn = ({ body }: Response): string | undefined =>
  (body as { error?: { errorCode: string }[] }).error?.[0]?.errorCode;
