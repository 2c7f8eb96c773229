import { Injectable } from '@nestjs/common';
import type { RegisterPayload } from '@fd/contracts';
import { LoginErrors } from '@fd/errors';
import { SmsDelivery } from '../../integrations/index.js';
import { loginSubject } from '../otp/otp-code.js';
import { type IssuedCode, OtpService, Undelivered } from '../otp/otp.service.js';

/** Sends the codes with which phones log in. */
@Injectable()
export class LoginCodes {
  constructor(
    private readonly otp: OtpService,
    private readonly sms: SmsDelivery,
  ) {}

  /**
   * Sends a code, or repeats the valid one. Waits at most 1.2 seconds for the providers.
   * @throws LoginErrors.tooManySends, LoginErrors.sendsSuspended, LoginErrors.tooManyTries with the seconds to wait;
   * LoginErrors.smsUnavailable when every provider has refused
   */
  async send(phone: string, ip: string): Promise<RegisterPayload> {
    const subject = loginSubject(phone, ip);
    return this.otp.send(subject, async (issued) => {
      // vendors may accept a message after the client has got 201
      const outcome = await this.sms.deliver(messageOf(phone, issued), (answered) =>
        this.otp.noteSend(subject, answered === 'rejected' ? 'refused' : answered),
      );
      // else one address could send without end to numbers that providers reject, until they refuse us
      if (outcome === 'rejected') throw new Undelivered(LoginErrors.smsUnavailable(), 'kept');
      if (outcome === 'refused') throw LoginErrors.smsUnavailable();
      const { attemptsUsed, attemptsLeft, expiresAt, retryAfterSeconds } = issued;
      return { attemptsUsed, attemptsLeft, otpExpiresAt: expiresAt.toISOString(), retryAfterSeconds };
    });
  }
}

function messageOf(phone: string, { code, sendId, validForSeconds }: IssuedCode) {
  const minutes = String(Math.max(1, Math.floor(validForSeconds / 60)));
  return {
    phone,
    templateId: 'login_otp',
    variables: { code, minutes },
    idempotencyKey: sendId,
    usefulMs: validForSeconds * 1_000,
  } as const;
}
