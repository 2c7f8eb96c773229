import { Injectable, Logger } from '@nestjs/common';
import type { LoginPayload, VerifyOtpRequest } from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import { loginSubject, type OtpSubject } from '../otp/otp-code.js';
import { OtpAbuseLimiter } from '../otp/otp-abuse-limiter.store.js';
import { OtpService, type RightCheck } from '../otp/otp.service.js';
import { PartnersRepository } from '../partners/partners.repository.js';
import { type ClientTraits, COMMIT_RESERVE_MS, SessionOpening } from './session-opening.service.js';

/** Time for comparing a code before the commit: a Redis command is given up after 200 ms. */
const LOGIN_RESERVE_MS = COMMIT_RESERVE_MS + 200;

/** Second half of a login: exchanges a code for a session. */
@Injectable()
export class VerifyCodeService {
  private readonly logger = new Logger(VerifyCodeService.name);
  private readonly checks: Counter<'outcome'>;

  constructor(
    private readonly otp: OtpService,
    private readonly limiter: OtpAbuseLimiter,
    private readonly partners: PartnersRepository,
    private readonly sessions: SessionOpening,
    registry: Registry,
  ) {
    this.checks = new Counter({
      name: 'otp_checks_total',
      help: 'Checks of a code, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * Exchanges a code for a session; the first login of a phone makes its user.
   * @throws LoginErrors.partnerUnknown, LoginErrors.consentRequired, LoginErrors.tooManyTries, LoginErrors.otpWrong,
   * LoginErrors.otpExpired, in this order of checks
   */
  async logIn(request: VerifyOtpRequest, client: ClientTraits): Promise<LoginPayload> {
    const { phone } = request;
    const partner = await this.partners.findActive(request.partner_url);
    if (!partner) throw LoginErrors.partnerUnknown({ field: 'partner_url' });
    if (request.consent !== true) throw LoginErrors.consentRequired({ field: 'consent' });
    // a code must not be used up by a call that is about to be answered 503
    if (remainingMs() < LOGIN_RESERVE_MS) throw GeneralErrors.unavailable();
    const subject = loginSubject(phone);
    const check = await this.checkCode(subject, request.otp);
    const payload = await this.otp.consumeFor(subject, check, () =>
      this.sessions.open({ phone, partner, client }, (manager) => this.otp.consume(manager, subject, check)),
    );
    // statistics: the answer does not wait for them
    void this.countVerified(phone, client.ip);
    return payload;
  }

  private async checkCode(subject: OtpSubject, code: string): Promise<RightCheck> {
    const decision = await this.otp.check(subject, code);
    this.checks.inc({ outcome: decision.outcome });
    switch (decision.outcome) {
      case 'right':
        return decision;
      case 'wrong':
        throw LoginErrors.otpWrong({ params: { triesLeft: decision.triesLeft } });
      case 'none':
        throw LoginErrors.otpExpired();
      case 'exhausted':
        throw LoginErrors.tooManyTries({ retryAfterSeconds: decision.retryAfterSeconds });
    }
  }

  /** A login does not fail when the abuse limiter misses a verified code. */
  private async countVerified(phone: string, ip: string): Promise<void> {
    await this.limiter.countVerified(phone, ip).catch((error: unknown) => {
      this.logger.warn({ msg: 'a verified code was not counted', reason: (error as Error).message });
    });
  }
}
