import { Injectable } from '@nestjs/common';
import { type LoginPayload, maskPhone } from '@fd/contracts';
import { SessionErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { LoginConfig } from '../../config/index.js';
import { AuditTrail, noteCallersPartner, type SessionIdentity } from '../../core/index.js';
import type { NewPartnerEvent } from '../../events/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { MailNotices } from '../notices/mail-notices.service.js';
import { PartnersRepository } from '../partners/partners.repository.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { hashOf, SessionsService } from '../sessions/sessions.service.js';
import { UsersRepository } from '../users/users.repository.js';

type Caller = SessionIdentity & { readonly ip: string };

/**
 * Accounts whose phone was not used for a long time (CONFIRM_LOGIN_AFTER_DAYS): the operator of the phone may have given the
 * number to somebody else. And accounts that were begun with another partner (SEPARATE_PARTNERS). Their sessions are unconfirmed.
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
    private readonly notices: MailNotices,
    private readonly audit: AuditTrail,
    private readonly config: LoginConfig,
  ) {}

  /**
   * Makes a session that of the account's owner: the login counts, with its consent, unless it is one of a partner with which the
   * owner does not share the account.
   * @param isProved whether by what only the owner knows
   * @throws SessionErrors.ended if the account was given up meanwhile
   */
  async confirm(
    tx: EntityManager,
    { isUnshared, ...caller }: Caller,
    { isProved, isShared }: { isProved: boolean; isShared: boolean },
  ): Promise<void> {
    const { userId } = caller;
    await this.users.lock(tx, userId);
    await this.users.noteLogin(tx, userId);
    if (!(await this.sessions.confirm(tx, caller, isProved))) throw SessionErrors.ended();
    if (isShared) await this.consents.give(tx, { ...caller, purpose: 'PARTNER_SHARING' });
    if (isUnshared && !isShared) return;
    await this.consents.give(tx, { ...caller, purpose: 'TERMS_OF_USE', afterWithdrawal: 'ACCOUNT_ACCESS' });
  }

  /** Whether the phone of a user was not used for so long that somebody else may have it. */
  async isDormant(tx: EntityManager, userId: string): Promise<boolean> {
    const { confirmAfterDays } = this.config;
    if (confirmAfterDays === undefined) return false;
    return this.users.isUnusedFor(tx, userId, confirmAfterDays);
  }

  /**
   * Gives the account of a phone up, which keeps its data without the phone, and opens a session of a new user. Who proves the
   * former account's PAN by eKYC takes it over; a mail to its verified address says how.
   * @throws SessionErrors.confirmed while the account is in use; SessionErrors.ended if the account was confirmed, or given up, meanwhile
   */
  async startAnew({ userId, sessionId, partnerId }: SessionIdentity, ip: string): Promise<LoginPayload> {
    const newId = uuidv7();
    const opened = await this.dataSource.transaction(async (tx) => {
      // until the owner confirms it in another session; and another partner may not end an account that is in use
      await this.users.lock(tx, userId);
      if (!(await this.isDormant(tx, userId))) throw SessionErrors.confirmed();
      const partner = await this.partners.holdKnown(tx, partnerId);
      const phone = await this.users.releasePhone(tx, userId);
      const device = await this.sessions.endUnconfirmed(tx, { userId, sessionId });
      if (phone === undefined || device === undefined) throw SessionErrors.ended();
      const email = await this.users.emailOf(tx, userId);
      if (email !== null) await this.notices.add(tx, userId, 'PHONE_REUSED', email);
      const session = this.tokens.prepare({
        ...{ userId: newId, partnerId, device, isUnconfirmed: false },
      });
      await this.users.add(tx, newId, phone);
      noteCallersPartner(newId, partnerId);
      await this.sessions.open(tx, session, hashOf(session.refreshToken));
      const consent = { userId: newId, sessionId: session.sessionId, purpose: 'TERMS_OF_USE', ip } as const;
      const events: NewPartnerEvent[] = [];
      await this.consents.giveFirst(tx, consent, events);
      await this.journey.begin(tx, newId, events);
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
