import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type LoginPayload, maskPhone, type SessionUser } from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import { pipelined } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { proveCaller } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import type { ActivePartner } from '../partners/partners.repository.js';
import { type PreparedSession, SessionsService } from '../sessions/sessions.service.js';
import { type ClaimedUser, UsersRepository } from '../users/users.repository.js';

export interface ClientTraits {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

/** Who logs in, through whom and from where. */
export interface Login {
  readonly phone: string;
  readonly partner: ActivePartner;
  readonly client: ClientTraits;
}

/**
 * Consumes the code in the transaction of the login.
 * @returns seconds to wait when the code may not count, or 0
 */
type ConsumeCode = (manager: EntityManager) => Promise<number>;

/** Time that a commit takes at most, as a rule. */
export const COMMIT_RESERVE_MS = 300;

const MAX_DEVICE_LENGTH = 120;

/** Opens the session of a login, with its user, consent and step, in one transaction. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly partnerTokens: PartnerTokens,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * @throws LoginErrors.tooManyTries; GeneralErrors.unavailable when the client cannot hear of the session in time:
   * then there is none
   */
  async open(login: Login, consumeCode: ConsumeCode): Promise<LoginPayload> {
    const { sessionId, payload } = await this.commit(login, consumeCode);
    if (remainingMs() > 0) return payload;
    // the commit took too long: the client never learns of this session, and the code opens another
    await this.sessions.revoke(payload.user_id, sessionId);
    throw GeneralErrors.unavailable();
  }

  private async commit(
    { phone, partner, client }: Login,
    consumeCode: ConsumeCode,
  ): Promise<{ sessionId: string; payload: LoginPayload }> {
    return this.dataSource.transaction(async (manager) => {
      const user = await this.users.claimPhone(manager, phone);
      const userId = user.id;
      const device = deviceOf(client.userAgent);
      const session = this.sessions.prepare({ userId, partnerId: partner.id, device });
      const { sessionId } = session;
      proveCaller({ userId, sessionId });
      const [, sessionUser, waitSeconds, tokens, partnerToken] = await pipelined([
        this.record(manager, session, client.ip),
        this.sessionUser(manager, user, phone),
        consumeCode(manager),
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

  private async record(manager: EntityManager, session: PreparedSession, ip: string): Promise<void> {
    const { userId, sessionId } = session;
    // PostgreSQL runs them in this order. Sent together they save a login two round trips
    await pipelined([
      this.sessions.open(manager, session),
      this.journey.record({ userId, step: 'LOGIN', event: 'COMPLETED', object: sessionId }, manager),
      this.consents.record({ userId, sessionId, purpose: 'TERMS_OF_USE', ip }, manager),
    ]);
  }
}

/** A user agent as it may be stored and shown: printable, shortened; null when there is none. */
function deviceOf(userAgent: string | undefined): string | null {
  const printable = (userAgent ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, MAX_DEVICE_LENGTH);
}
