import { Injectable } from '@nestjs/common';
import type { LoginPayload, RegisterPayload, VerifyOtpRequest } from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import { SmsDelivery } from '../../integrations/index.js';
import { loginSubject } from '../otp/otp-code.js';
import { type IssuedCode, OtpService } from '../otp/otp.service.js';
import { PartnersRepository } from '../partners/partners.repository.js';
import { COMMIT_RESERVE_MS, type Login, SessionOpening } from './session-opening.service.js';

/** Time for comparing a code before the commit: a Redis command is given up after 200 ms. */
const LOGIN_RESERVE_MS = COMMIT_RESERVE_MS + 200;

/** Logs a phone in: sends a code to it, and exchanges the code for a session. */
@Injectable()
export class LoginService {
  constructor(
    private readonly otp: OtpService,
    private readonly sms: SmsDelivery,
    private readonly partners: PartnersRepository,
    private readonly sessions: SessionOpening,
  ) {}

  /**
   * Sends a code, or the living one again. Waits at most 1.2 seconds for the providers.
   * @throws LoginErrors.tooManySends, LoginErrors.sendsSuspended, LoginErrors.tooManyTries with the seconds to wait;
   * LoginErrors.smsUnavailable when every provider has refused
   */
  async sendCode(phone: string, ip: string): Promise<RegisterPayload> {
    const subject = loginSubject(phone, ip);
    const issued = await this.otp.issue(subject);
    const outcome = await this.sms.deliver(messageOf(phone, issued), issued.validForSeconds * 1_000);
    this.otp.noteSend(subject, outcome);
    if (outcome === 'refused') {
      await this.otp.withdraw(subject, issued);
      throw LoginErrors.smsUnavailable();
    }
    const { attemptsUsed, attemptsLeft, expiresAt, retryAfterSeconds } = issued;
    return { attemptsUsed, attemptsLeft, otpExpiresAt: expiresAt.toISOString(), retryAfterSeconds };
  }

  /**
   * Exchanges a code for a session; the first login of a phone makes its user.
   * @throws LoginErrors.partnerUnknown, then LoginErrors.consentRequired, then what is wrong with the code
   */
  async logIn(request: VerifyOtpRequest, client: Login['client']): Promise<LoginPayload> {
    const { phone } = request;
    const partner = await this.partners.findActive(request.partner_url);
    if (!partner) throw LoginErrors.partnerUnknown({ field: 'partner_url' });
    if (request.consent !== true) throw LoginErrors.consentRequired({ field: 'consent' });
    // a code must not be used up by a call that is about to be answered 503
    if (remainingMs() < LOGIN_RESERVE_MS) throw GeneralErrors.unavailable();
    return this.otp.exchange(loginSubject(phone, client.ip), request.otp, (code) =>
      this.sessions.open({ phone, partner, client }, code),
    );
  }
}

function messageOf(phone: string, { code, sendId, validForSeconds }: IssuedCode) {
  const minutes = Math.max(1, Math.floor(validForSeconds / 60));
  return {
    phone,
    templateId: 'login_otp',
    text: `${code} is your code to log in. It is valid for ${minutes} minutes. Do not share it with anyone.`,
    idempotencyKey: sendId,
  } as const;
}
