import { Injectable } from '@nestjs/common';
import type { RegisterPayload } from '@fd/contracts';
import { type AppError, type ErrorDefinition, LoginErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import { SmsDelivery } from '../../integrations/index.js';
import { loginSubject } from '../otp/otp-code.js';
import { OtpAbuseLimiter } from '../otp/otp-abuse-limiter.store.js';
import { type IssuedCode, OtpService } from '../otp/otp.service.js';

/** First half of a login: sends a code to a phone. */
@Injectable()
export class SendCodeService {
  private readonly sends: Counter<'outcome'>;

  constructor(
    private readonly otp: OtpService,
    private readonly limiter: OtpAbuseLimiter,
    private readonly sms: SmsDelivery,
    registry: Registry,
  ) {
    this.sends = new Counter({
      name: 'otp_sends_total',
      help: 'Requests for a code, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * Sends a code, or the living one again. Waits at most 1.2 seconds for the providers.
   * @throws LoginErrors.tooManySends, LoginErrors.sendsSuspended, LoginErrors.tooManyTries with the seconds to wait;
   * LoginErrors.smsUnavailable when every provider has refused
   */
  async sendCode(phone: string, ip: string): Promise<RegisterPayload> {
    const suspendedSeconds = await this.limiter.countSend(phone, ip);
    if (suspendedSeconds > 0)
      throw this.refusedSend('suspended', LoginErrors.sendsSuspended, suspendedSeconds);
    const subject = loginSubject(phone);
    const decision = await this.otp.issue(subject);
    if (decision.outcome !== 'issued') {
      await this.limiter.uncountSend(phone, ip);
      const error = decision.outcome === 'paused' ? LoginErrors.tooManyTries : LoginErrors.tooManySends;
      throw this.refusedSend(decision.outcome, error, decision.retryAfterSeconds);
    }
    const { issued } = decision;
    const outcome = await this.sms.deliver(messageOf(phone, issued), issued.validForSeconds * 1_000);
    this.sends.inc({ outcome });
    if (outcome === 'refused') {
      await this.otp.withdraw(subject, issued);
      await this.limiter.uncountSend(phone, ip);
      throw LoginErrors.smsUnavailable();
    }
    return {
      attemptsUsed: issued.attemptsUsed,
      attemptsLeft: issued.attemptsLeft,
      otpExpiresAt: issued.expiresAt.toISOString(),
      retryAfterSeconds: issued.retryAfterSeconds,
    };
  }

  private refusedSend(outcome: string, error: ErrorDefinition, seconds: number): AppError {
    this.sends.inc({ outcome });
    return error({ retryAfterSeconds: seconds });
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
