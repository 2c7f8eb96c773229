import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type LoginPayload,
  maskPhone,
  type RegisterPayload,
  type SessionUser,
  type VerifyOtpRequest,
} from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { AppError, type ErrorDefinition, GeneralErrors, LoginErrors } from '@fd/errors';
import { pipelined } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditTrail, proveCaller } from '../../core/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { JourneyRepository } from '../../journey/index.js';
import type { OtpSubject } from '../otp/otp-code.js';
import { type IssuedCode, OtpService, type RightCheck } from '../otp/otp.service.js';
import { SendWatch } from '../otp/send-watch.store.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import { type ActivePartner, PartnersRepository } from '../partners/partners.repository.js';
import { type PreparedSession, SessionsService } from '../sessions/sessions.service.js';
import { SmsDelivery } from '../../integrations/index.js';
import { type ClaimedUser, UsersRepository } from '../users/users.repository.js';
import { deviceOf } from './device.js';

export interface ClientTraits {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

/** What a commit usually takes at the most in the time that is left for an answer. */
const COMMIT_RESERVE_MS = 300;
/** The same for comparing a code before it: a Redis command is given up after 200 ms. */
const LOGIN_RESERVE_MS = COMMIT_RESERVE_MS + 200;

/** Logging in with a phone: a code is sent, then exchanged for a session. */
@Injectable()
export class LoginService {
  private readonly logger = new Logger(LoginService.name);
  private readonly sends: Counter<'outcome'>;
  private readonly checks: Counter<'outcome'>;

  constructor(
    private readonly otp: OtpService,
    private readonly watch: SendWatch,
    private readonly sms: SmsDelivery,
    private readonly partners: PartnersRepository,
    private readonly partnerTokens: PartnerTokens,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    @InjectDataSource() private readonly dataSource: DataSource,
    registry: Registry,
  ) {
    const counter = (name: string, help: string): Counter<'outcome'> =>
      new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
    this.sends = counter('otp_sends_total', 'Requests for a code, by outcome');
    this.checks = counter('otp_checks_total', 'Checks of a code, by outcome');
  }

  /**
   * Sends a code, or the living one again. Waits at most 1.2 seconds for the providers.
   * @throws LoginErrors.tooManySends, LoginErrors.sendsSuspended, LoginErrors.tooManyTries with the seconds to wait;
   * LoginErrors.smsUnavailable when every provider has refused
   */
  async sendCode(phone: string, ip: string): Promise<RegisterPayload> {
    const suspendedSeconds = await this.watch.countSend(phone, ip);
    if (suspendedSeconds > 0)
      throw this.refusedSend('suspended', LoginErrors.sendsSuspended, suspendedSeconds);
    const subject = loginOf(phone);
    const decision = await this.otp.issue(subject);
    if (decision.outcome !== 'issued') {
      await this.watch.uncountSend(phone, ip);
      const error = decision.outcome === 'paused' ? LoginErrors.tooManyTries : LoginErrors.tooManySends;
      throw this.refusedSend(decision.outcome, error, decision.retryAfterSeconds);
    }
    const { issued } = decision;
    const outcome = await this.sms.deliver(messageOf(phone, issued), issued.validForSeconds * 1_000);
    this.sends.inc({ outcome });
    if (outcome === 'refused') {
      await this.otp.withdraw(subject, issued);
      await this.watch.uncountSend(phone, ip);
      throw LoginErrors.smsUnavailable();
    }
    return {
      attemptsUsed: issued.attemptsUsed,
      attemptsLeft: issued.attemptsLeft,
      otpExpiresAt: issued.expiresAt.toISOString(),
      retryAfterSeconds: issued.retryAfterSeconds,
    };
  }

  /**
   * Exchanges a code for a session; the first login of a phone makes its user.
   * @throws LoginErrors.partnerUnknown, LoginErrors.consentRequired, LoginErrors.tooManyTries, LoginErrors.otpWrong,
   * LoginErrors.otpExpired, in this order of checks
   */
  async logIn(request: VerifyOtpRequest, client: ClientTraits): Promise<LoginPayload> {
    const partner = await this.partners.findActive(request.partner_url);
    if (!partner) throw LoginErrors.partnerUnknown({ field: 'partner_url' });
    if (request.consent !== true) throw LoginErrors.consentRequired({ field: 'consent' });
    // a code must not be used up by a call that is about to be answered 503
    if (remainingMs() < LOGIN_RESERVE_MS) throw GeneralErrors.unavailable();
    const subject = loginOf(request.phone);
    const check = await this.checkCode(subject, request.otp);
    const payload = await this.otp.spend(subject, check, () =>
      this.openSession(request.phone, check, partner, client),
    );
    // statistics: nobody waits for them
    void this.noteVerified(request.phone, client.ip);
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

  private async openSession(
    phone: string,
    check: RightCheck,
    partner: ActivePartner,
    client: ClientTraits,
  ): Promise<LoginPayload> {
    const { sessionId, payload } = await this.commitSession(phone, check, partner, client);
    if (remainingMs() > 0) return payload;
    // the commit took too long: nobody has heard of this session, and the code opens another
    await this.sessions.revoke(payload.user_id, sessionId);
    throw GeneralErrors.unavailable();
  }

  private async commitSession(
    phone: string,
    check: RightCheck,
    partner: ActivePartner,
    client: ClientTraits,
  ): Promise<{ sessionId: string; payload: LoginPayload }> {
    return this.dataSource.transaction(async (manager) => {
      const user = await this.users.claimPhone(manager, phone);
      const userId = user.id;
      const device = deviceOf(client.userAgent);
      const session = this.sessions.prepare({ userId, partnerId: partner.id, device });
      const { sessionId } = session;
      proveCaller({ userId, sessionId });
      const [, sessionUser, waitSeconds, tokens, partnerToken] = await pipelined([
        this.recordLogin(manager, session, client.ip),
        this.sessionUser(manager, user, phone),
        this.otp.redeem(manager, loginOf(phone), check),
        this.sessions.tokensOf(session),
        this.partnerTokens.issue(partner, { userId, sessionId, isNew: user.isNew }),
      ]);
      if (waitSeconds > 0) throw LoginErrors.tooManyTries({ retryAfterSeconds: waitSeconds });
      // a login that the client will not hear of must not be made: its code would be used up
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      const payload = {
        user_id: userId,
        is_new_user: user.isNew,
        ...tokens,
        partner_token: partnerToken,
        user: sessionUser,
      };
      return { sessionId, payload };
    });
  }

  /** The masked phone and what the journey says is verified. */
  private async sessionUser(
    manager: EntityManager,
    { id, isNew }: ClaimedUser,
    phone: string,
  ): Promise<SessionUser> {
    // a user made in this transaction has verified nothing yet
    const { PAN, EMAIL } = isNew ? {} : await this.journey.statesOf(id, { manager });
    return {
      phone: maskPhone(phone),
      is_pan_verified: PAN?.state === 'DONE',
      is_email_verified: EMAIL?.state === 'DONE',
    };
  }

  private async recordLogin(manager: EntityManager, session: PreparedSession, ip: string): Promise<void> {
    const { userId, sessionId } = session;
    // begun in the order in which PostgreSQL is to run them
    await pipelined([
      this.sessions.open(manager, session),
      this.audit.record(manager, { action: 'LOGGED_IN', subject: userId, object: sessionId }),
      this.consents.record(manager, { userId, sessionId, purpose: 'TERMS_OF_USE', ip }),
      this.journey.record(manager, { userId, step: 'LOGIN', event: 'COMPLETED' }),
    ]);
  }

  /** Statistics for the guard against pumping: a login does not fail for want of them. */
  private async noteVerified(phone: string, ip: string): Promise<void> {
    await this.watch.countVerified(phone, ip).catch((error: unknown) => {
      this.logger.warn({ msg: 'a verified code was not counted', reason: (error as Error).message });
    });
  }

  private refusedSend(outcome: string, error: ErrorDefinition, seconds: number): AppError {
    this.sends.inc({ outcome });
    return error({ retryAfterSeconds: seconds });
  }
}

const loginOf = (phone: string): OtpSubject => ({ purpose: 'login', value: phone });

function messageOf(phone: string, { code, sendId, validForSeconds }: IssuedCode) {
  const minutes = Math.max(1, Math.floor(validForSeconds / 60));
  return {
    phone,
    templateId: 'login_otp',
    text: `${code} is your code to log in. It is valid for ${minutes} minutes. Do not share it with anyone.`,
    idempotencyKey: sendId,
  } as const;
}
