import { Injectable } from '@nestjs/common';
import { isAccepted, type LoginPayload, maskPhone, type VerifyOtpRequest } from '@fd/contracts';
import { remainingMs, timeLimit } from '@fd/envelope';
import { AppError, GeneralErrors, LoginErrors, readAll, refuse } from '@fd/errors';
import { v7 as uuidv7 } from 'uuid';
import { noteCallersPartner, proveCaller } from '../../core/index.js';
import { JourneyRepository, type StepStates } from '../../journey/index.js';
import { loginSubject } from '../otp/otp-code.js';
import { OtpService, type RightCode } from '../otp/otp.service.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type KnownLogin, LoginRepository } from './login.repository.js';
import { SessionOpener } from './session-opener.service.js';

interface Client {
  readonly ip: string;
  readonly userAgent: string | undefined;
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
  constructor(
    private readonly otp: OtpService,
    private readonly logins: LoginRepository,
    private readonly sessions: SessionsService,
    private readonly opener: SessionOpener,
    private readonly journey: JourneyRepository,
    private readonly partnerTokens: PartnerTokens,
  ) {}

  /**
   * Exchanges a code for a session; the first login of a phone creates its user.
   * @throws LoginErrors.partnerUnknown and LoginErrors.consentRequired together; then the errors of the code; then
   * LoginErrors.userBlocked: only the owner of the phone learns of a block
   */
  async logIn(request: VerifyOtpRequest, client: Client): Promise<LoginPayload> {
    const { phone, partner_url: partnerUrl } = request;
    const found = await this.logins.findByPhone(partnerUrl, phone);
    const { known } = readAll({
      known: () => found ?? refuse(LoginErrors.partnerUnknown, 'partner_url'),
      consent: () => isAccepted(request.consent) || refuse(LoginErrors.consentRequired, 'consent'),
    });
    // a call that will get 503 must not consume its code
    if (remainingMs() < LOGIN_RESERVE_MS) throw GeneralErrors.unavailable();
    const open = async (code: RightCode): Promise<LoginPayload> => {
      const opened = await this.openSession(known, { phone, client, code });
      if (opened) return opened;
      // a parallel login has created the user, or an operator has blocked the user or the partner meanwhile
      const user = await this.logins.findByPhone(partnerUrl, phone);
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
    const session = this.sessions.prepare({ userId, partnerId, device, isUnconfirmed });
    const { sessionId } = session;
    proveCaller(session);
    if (!isUnconfirmed) noteCallersPartner(userId, partnerId);
    const tokens = this.sessions.tokensOf(session);
    const partner_token = this.partnerTokens.issue(known.partner, {
      userId,
      sessionId,
      isNew,
      isUnconfirmed,
    });
    // too late to answer: the client would lose the session and its code
    if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
    const [isOpen, { PAN, EMAIL }] = await Promise.all([
      this.opener.open(session, {
        ...{ code, ip: client.ip, newPhone: isNew ? phone : undefined },
        isFirstOfDay: known.isFirstOfDay,
      }),
      isNew || isUnconfirmed ? NO_STEPS : this.journey.statesOf(userId),
    ]);
    if (!isOpen) return undefined;
    if (remainingMs() <= 0) {
      // too late: the client never gets this session, and the code stays valid
      await this.sessions.revoke(userId, sessionId);
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
