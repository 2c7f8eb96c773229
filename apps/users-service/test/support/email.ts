import { randomBytes } from 'node:crypto';
import type { EmailOtpPayload, VerifiedEmailPayload } from '@fd/contracts';
import { EmailErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import type { Response } from 'supertest';
import { MAX_MAILS_PER_DAY } from '../../src/identity/otp/otp.policy.js';
import { codeOf } from './inbox.js';
import { as, logIn } from './login.js';
import { type MailAnswer, ScriptedMailServer } from './scripted-mail-server.js';
import type { TestService } from './users-app.js';

export const SEND_EMAIL_PATH = '/api/v1/email/send-otp';
export const VERIFY_EMAIL_PATH = '/api/v1/email/verify-otp';

/** Returns an unused address; the end of its local part may be one of the sandbox's magic values. */
export function anEmail(ending = ''): string {
  return `asha.${randomBytes(6).toString('hex')}x${ending}@example.com`;
}

export const sendEmailCode = (api: ApiClient, email: unknown): Promise<Response> =>
  api.post(SEND_EMAIL_PATH, { email });

export const verifyEmailCode = (api: ApiClient, email: unknown, otp: unknown): Promise<Response> =>
  api.post(VERIFY_EMAIL_PATH, { email, otp });

export const sentPayload = (response: Response): EmailOtpPayload =>
  (response.body as { payload: EmailOtpPayload }).payload;

/** Requests a code for an address and returns the code that arrived. */
export async function emailCode(api: ApiClient, email: string): Promise<string> {
  const response = await sendEmailCode(api, email);
  if (response.status !== 200) {
    throw new Error(`send-otp answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return codeOf(email);
}

/** Verifies an address for the calling user. */
export async function verifyEmail(api: ApiClient, email = anEmail()): Promise<VerifiedEmailPayload> {
  const response = await verifyEmailCode(api, email, await emailCode(api, email));
  if (response.status !== 200) {
    throw new Error(`verify-otp answered ${response.status}: ${JSON.stringify(response.body)}`);
  }
  return (response.body as { payload: VerifiedEmailPayload }).payload;
}

/** Expects that a mail fails by SCRIPT and is not counted, and that the next one succeeds. */
export async function expectRecovery(
  api: ApiClient,
  mail: ScriptedMailServer,
  script: Record<string, MailAnswer>,
): Promise<void> {
  const email = anEmail();
  mail.script = script;
  expectRefusal(await sendEmailCode(api, email), EmailErrors.mailUnavailable);
  mail.script = {};
  expect(sentPayload(await sendEmailCode(api, email))).toMatchObject({ attemptsUsed: 0, attemptsLeft: 4 });
}

/** Expects that mails that may have arrived are counted against the daily limit, and refused ones are not. */
export async function expectOpenMailsCounted(
  service: TestService,
  script: Record<string, MailAnswer>,
): Promise<void> {
  const mail = await ScriptedMailServer.start();
  const user = await logIn(service);
  const slow = as((await service.replica({ MAIL_SMTP_URL: mail.url })).api, user);
  const usual = as(service.api, user);
  for (let i = 2; i < MAX_MAILS_PER_DAY; i++) {
    expect((await sendEmailCode(usual, anEmail())).status).toBe(200);
  }
  mail.script = { message: '554 no' };
  for (let i = 0; i < 3; i++)
    expectRefusal(await sendEmailCode(slow, anEmail()), EmailErrors.mailUnavailable);
  mail.script = script;
  for (const refused of await inParallel(2, () => sendEmailCode(slow, anEmail())))
    expectRefusal(refused, EmailErrors.mailUnavailable);
  expectRefusal(await sendEmailCode(usual, anEmail()), EmailErrors.tooManyOtps);
  await mail.stop();
}
