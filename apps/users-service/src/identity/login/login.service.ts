import { Injectable } from '@nestjs/common';
import {
  isAccepted,
  type LoginPayload,
  maskPhone,
  type RegisterPayload,
  type VerifyOtpRequest,
} from '@fd/contracts';
import { remainingMs, timeLimit } from '@fd/envelope';
import { AppError, GeneralErrors, LoginErrors, readAll, refuse } from '@fd/errors';
import { commit, isRowMissing, pipelined } from '@fd/platform';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { noteCallersPartner, proveCaller } from '../../core/index.js';
import { type NewPartnerEvent, PartnerEvents } from '../../events/index.js';
import { SmsDelivery } from '../../integrations/index.js';
import { JourneyRepository, type StepStates } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { loginSubject } from '../otp/otp-code.js';
import { type IssuedCode, OtpService, type RightCode, Undelivered } from '../otp/otp.service.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import { type KnownLogin, PartnersRepository } from '../partners/partners.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { hashOf, type PreparedSession, SessionsService } from '../sessions/sessions.service.js';
import { UsersRepository } from '../users/users.repository.js';

interface Client {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

interface Login {
  readonly code: RightCode;
  readonly ip: string;
  /** Undefined for a known user. */
  readonly newPhone: string | undefined;
  readonly isFirstOfDay: boolean;
}

/** Usual maximum time of a commit. */
const COMMIT_RESERVE_MS = timeLimit(300);
/** Time for comparing a code before the commit: a Redis command times out after 200 ms. */
const LOGIN_RESERVE_MS = COMMIT_RESERVE_MS + timeLimit(200);

const MAX_DEVICE_LENGTH = 120;

/** Those of a new user, and what an unconfirmed session sees. */
const NO_STEPS: StepStates = {};

@Injectable()
export class LoginService {
  // eslint-disable-next-line max-params -- a login writes to most of these, in one round trip
  constructor(
    private readonly otp: OtpService,
    private readonly sms: SmsDelivery,
    private readonly dataSource: DataSource,
    private readonly partners: PartnersRepository,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsRepository,
    private readonly tokens: SessionsService,
    private readonly partnerTokens: PartnerTokens,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly events: PartnerEvents,
  ) {}

  /**
   * Sends a code, or repeats the valid one. Waits at most 1.2 seconds for the providers.
   * @throws LoginErrors.tooManySends, LoginErrors.sendsSuspended, LoginErrors.tooManyTries with the seconds to wait;
   * LoginErrors.smsUnavailable when every provider has refused
   */
  async sendCode(phone: string, ip: string): Promise<RegisterPayload> {
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

  /**
   * Exchanges a code for a session; the first login of a phone creates its user.
   * @throws LoginErrors.partnerUnknown and LoginErrors.consentRequired together; then the errors of the code; then
   * LoginErrors.userBlocked: only the owner of the phone learns of a block
   */
  async logIn(request: VerifyOtpRequest, client: Client): Promise<LoginPayload> {
    const { phone, partner_url: partnerUrl } = request;
    const found = await this.partners.findLogin(partnerUrl, phone);
    const { known } = readAll({
      known: () => found ?? refuse(LoginErrors.partnerUnknown, 'partner_url'),
      consent: () => isAccepted(request.consent) || refuse(LoginErrors.consentRequired, 'consent'),
    });
    // a call that will get 503 must not consume its code
    if (remainingMs() < LOGIN_RESERVE_MS) throw GeneralErrors.unavailable();
    const open = async (code: RightCode): Promise<LoginPayload> => {
      const opened = await this.openSession(known, { phone, client, code });
      if (opened) return opened;
      // a parallel call has created the user or given the account up, or an operator has blocked the user or the partner meanwhile
      const user = await this.partners.findLogin(partnerUrl, phone);
      if (!user) refuse(LoginErrors.partnerUnknown, 'partner_url');
      return (await this.openSession(user, { phone, client, code })) ?? failUnavailable();
    };
    return this.otp.exchange(loginSubject(phone, client.ip), request.otp, open, isBlocked);
  }

  /**
   * @returns undefined if a parallel login has created the user
   * @throws LoginErrors.userBlocked; GeneralErrors.unavailable if no time is left to answer; the session is not opened,
   * or is revoked
   */
  private async openSession(
    known: KnownLogin,
    { phone, client, code }: { phone: string; client: Client; code: RightCode },
  ): Promise<LoginPayload | undefined> {
    if (known.isBlocked) throw LoginErrors.userBlocked();
    const userId = known.userId ?? uuidv7();
    const isNew = known.userId === null;
    const device = deviceOf(client.userAgent);
    const { partnerId, isDormant, isUnshared } = known;
    // whoever has the phone, or another partner, must confirm the account first
    const isUnconfirmed = isDormant || isUnshared;
    const session = this.tokens.prepare({ userId, partnerId, device, isUnconfirmed });
    const { sessionId } = session;
    proveCaller(session);
    if (!isUnconfirmed) noteCallersPartner(userId, partnerId);
    const tokens = this.tokens.tokensOf(session);
    const partner_token = this.partnerTokens.issue(known.partner, {
      userId,
      sessionId,
      isNew,
      isUnconfirmed,
    });
    // too late to answer: the client would lose the session and its code
    if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
    const [isOpen, { PAN, EMAIL }] = await Promise.all([
      this.writeSession(session, {
        ...{ code, ip: client.ip, newPhone: isNew ? phone : undefined },
        isFirstOfDay: known.isFirstOfDay,
      }),
      isNew || isUnconfirmed ? NO_STEPS : this.journey.statesOf(userId),
    ]);
    if (!isOpen) return undefined;
    if (remainingMs() <= 0) {
      // too late: the client never gets this session, and the code stays valid
      await this.tokens.revoke(userId, sessionId);
      throw GeneralErrors.unavailable();
    }
    const user = {
      phone: maskPhone(phone),
      is_pan_verified: PAN?.state === 'DONE',
      is_email_verified: EMAIL?.state === 'DONE',
    };
    const needs = {
      ...(isUnconfirmed && ({ needs_confirmation: true } as const)),
      ...(isUnshared && ({ needs_sharing_consent: true } as const)),
    };
    return { user_id: userId, is_new_user: isNew, ...tokens, partner_token, user, ...needs };
  }

  /**
   * Writes a session with its user, consent and step. The statements depend on no answer, so they travel together.
   * @returns false, without writing, if a parallel login has created the user, or an operator has blocked the user or disabled the
   * partner
   * @throws the errors of `consume`, without writing
   */
  async writeSession(
    session: PreparedSession,
    { code, ip, newPhone, isFirstOfDay }: Login,
  ): Promise<boolean> {
    const { userId, sessionId, partnerId, refreshToken, isUnconfirmed } = session;
    // who withdrew the terms gets back only what being logged in needs
    const afterWithdrawal = 'ACCOUNT_ACCESS';
    const consent = { userId, sessionId, purpose: 'TERMS_OF_USE', afterWithdrawal, ip } as const;
    const isNew = newPhone !== undefined;
    /** Of the first consent; the journey writes them with its own. */
    const events: NewPartnerEvent[] = [];
    await this.events.prepare();
    try {
      await this.dataSource.transaction((tx) =>
        pipelined([
          // a correct code resets the counts, unless the wrong checks of the day are used up
          code.consume(tx),
          this.partners.hold(tx, partnerId),
          isNew ? this.users.add(tx, userId, newPhone) : this.users.hold(tx, userId),
          this.sessions.open(tx, session, hashOf(refreshToken)),
          // an unconfirmed session speaks for nobody yet
          ...(isUnconfirmed
            ? []
            : [
                isNew ? this.consents.giveFirst(tx, consent, events) : this.consents.give(tx, consent),
                isFirstOfDay ? this.users.noteLogin(tx, userId) : undefined,
                isNew
                  ? this.journey.begin(tx, userId, events)
                  : this.journey.completeOnce(tx, userId, 'LOGIN'),
              ]),
          // each of these fails unless it has its effect, and those of a new user write nothing more
          isNew ? commit(tx) : undefined,
        ]),
      );
      return true;
    } catch (error) {
      if (isRowMissing(error)) return false;
      throw error;
    }
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

/** The code of a blocked user is consumed: the answer is final. */
const isBlocked = (error: unknown): boolean =>
  error instanceof AppError && error.code === LoginErrors.userBlocked.code;

const failUnavailable = (): never => {
  throw GeneralErrors.unavailable();
};

/** A user agent as it may be stored and shown: printable and shortened; null without one. */
function deviceOf(userAgent: string | undefined): string | null {
  const printable = (userAgent ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, MAX_DEVICE_LENGTH);
}
