import { Injectable } from '@nestjs/common';
import { type LoginPayload, maskPhone } from '@fd/contracts';
import { SessionErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, type SessionIdentity } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { PartnersRepository } from '../partners/partners.repository.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { hashOf, SessionsService } from '../sessions/sessions.service.js';
import { UsersRepository } from '../users/users.repository.js';

type Caller = SessionIdentity & { readonly ip: string };

/**
 * Accounts whose phone was not used for a long time (CONFIRM_LOGIN_AFTER_DAYS): the operator of the phone may have given the
 * number to somebody else. Their sessions are unconfirmed.
 */
@Injectable()
export class ReturningUsers {
  // eslint-disable-next-line max-params -- starting anew gives one account up and opens another
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsRepository,
    private readonly tokens: SessionsService,
    private readonly partners: PartnersRepository,
    private readonly partnerTokens: PartnerTokens,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** Makes a session a usual one: the login counts, with its consent. The caller has locked the user. */
  async confirm(tx: EntityManager, { userId, sessionId, ip }: Caller): Promise<void> {
    await this.users.noteLogin(tx, userId, this.sessions.aheadSeconds);
    await this.sessions.confirm(tx, { userId, sessionId });
    const afterWithdrawal = 'ACCOUNT_ACCESS';
    await this.consents.give(tx, { userId, sessionId, purpose: 'TERMS_OF_USE', afterWithdrawal, ip });
  }

  /**
   * Gives the account of a phone up, which keeps its data without the phone, and opens a session of a new user. Who proves the
   * former account's PAN by eKYC takes it over.
   * @throws SessionErrors.ended if the account was confirmed, or given up, meanwhile
   */
  async startAnew({ userId, sessionId }: SessionIdentity, ip: string): Promise<LoginPayload> {
    const newId = uuidv7();
    const opened = await this.dataSource.transaction(async (tx) => {
      const partner = await this.partners.holdOfSession(tx, sessionId);
      const phone = await this.users.releasePhone(tx, userId);
      const device = await this.sessions.endUnconfirmed(tx, { userId, sessionId });
      if (!partner || phone === undefined || device === undefined) throw SessionErrors.ended();
      const session = this.tokens.prepare({
        ...{ userId: newId, partnerId: partner.id, device, isUnconfirmed: false },
      });
      await this.users.add(tx, newId, phone);
      await this.sessions.open(tx, session, hashOf(session.refreshToken));
      const consent = { userId: newId, sessionId: session.sessionId, purpose: 'TERMS_OF_USE', ip } as const;
      await this.consents.giveFirst(tx, consent);
      await this.journey.completeOnce(tx, newId, 'LOGIN');
      await this.audit.record(tx, { action: 'ACCOUNT_STARTED_ANEW', subject: userId, object: newId });
      return { partner, session, phone };
    });
    const { partner, session, phone } = opened;
    const subject = { userId: newId, sessionId: session.sessionId, isNew: true };
    return {
      user_id: newId,
      is_new_user: true,
      ...this.tokens.tokensOf(session),
      partner_token: this.partnerTokens.issue(partner, subject),
      user: { phone: maskPhone(phone), is_pan_verified: false, is_email_verified: false },
    };
  }
}
