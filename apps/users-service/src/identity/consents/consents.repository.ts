import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { GivenConsent } from '@fd/contracts';
import { ConsentErrors, GeneralErrors, SessionErrors } from '@fd/errors';
import { pipelined } from '@fd/platform';
import { type EntityManager, IsNull, Not, type Repository, type SelectQueryBuilder } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  AuditTrail,
  KeyedHash,
  type OldRows,
  partnerOfCaller,
  type SessionIdentity,
} from '../../core/index.js';
import { LoginConfig } from '../../config/index.js';
import { type NewPartnerEvent, PartnerEvents } from '../../events/index.js';
import type { TermsConsent } from '../../journey/index.js';
import { Partner } from '../partners/partner.entity.js';
import { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { secondsOfFullDay } from '../users/day-budget.js';
import { User } from '../users/user.entity.js';
import { LOCK_USER } from '../users/users.queries.js';
import { Consent } from './consent.entity.js';
import {
  AGREE_TO_DOCUMENT,
  COVERS,
  FIND_WITHDRAWN,
  GIVE_CONSENT,
  MAX_DOCUMENTS_PER_DAY,
  MAX_GIVEN_PER_DAY,
} from './consents.queries.js';
import { KEPT_CONSENTS } from './ended-consents.js';
import { type ConsentPurpose, NOTICES } from './notices.table.js';
import { partnerOfAccount } from './partner-of-account.js';

/** A user in the app of a partner. */
type AtPartner = Pick<SessionIdentity, 'userId' | 'partnerId'>;

interface NewConsent {
  readonly userId: string;
  /** The session in which it was given, which has the partner. */
  readonly sessionId: string;
  readonly purpose: ConsentPurpose;
  /** Given instead if the user has withdrawn each consent to the purpose through the partner. */
  readonly afterWithdrawal?: ConsentPurpose;
  readonly ip: string;
}

export interface RecordedConsent extends Omit<
  GivenConsent,
  'covers' | 'given_at' | 'purpose' | 'withdrawn_at'
> {
  readonly purpose: ConsentPurpose;
  readonly given_at: Date;
  readonly withdrawn_at: Date | null;
}

interface WithdrawnRecord extends RecordedConsent {
  /** Whether no other consent of the user to this purpose is in force at this partner. */
  readonly isLast: boolean;
}

/** Maximum length of the list; only repeated consents and withdrawals exceed it. */
const MAX_LISTED = 200;

/**
 * Consents that were withdrawn years ago. The latest withdrawal of a purpose at a partner stays as long as the user:
 * without it the user would look like one who was never asked, see `requireInForce`. So does the first consent to the terms of use, by which
 * an account belongs to a partner. Covers only one month, so that the remaining rows are not read every day.
 */
export const OLD_CONSENTS = KEPT_CONSENTS.map(({ purpose, years }): OldRows => ({
  name: `consents withdrawn ${years} years ago`,
  entity: Consent,
  select: (rows) => {
    const user = rows.subQuery().select('u.id').from(User, 'u').where('u.id = t.userId');
    const later = rows
      .subQuery()
      .select('later.id')
      .from(Consent, 'later')
      .where('later.userId = t.userId AND later.partnerId = t.partnerId AND later.purpose = t.purpose')
      .andWhere('(later.withdrawnAt IS NULL OR (later.withdrawnAt, later.id) > (t.withdrawnAt, t.id))');
    const earlier = rows
      .subQuery()
      .select('earlier.id')
      .from(Consent, 'earlier')
      .where('earlier.userId = t.userId AND earlier.purpose = t.purpose')
      .andWhere('(earlier.givenAt, earlier.id) < (t.givenAt, t.id)');
    const mayGo = `EXISTS ${later.getQuery()} AND (t.purpose <> 'TERMS_OF_USE' OR EXISTS ${earlier.getQuery()})`;
    return rows
      .where({ purpose })
      .andWhere(`t.withdrawnAt < now() - interval '${years} years'`)
      .andWhere(`t.withdrawnAt > now() - interval '${years} years 1 month'`)
      .andWhere(`(NOT EXISTS ${user.getQuery()} OR ${mayGo})`)
      .orderBy('t.withdrawnAt');
  },
  batch: 500,
}));

/** Purposes that every transfer of user data to a provider or an issuer requires. */
const PASSING_ON: readonly ConsentPurpose[] = ['TERMS_OF_USE', 'PAN_VERIFICATION'];

/** Consents as proof: purpose, notice, time and partner. */
@Injectable()
export class ConsentsRepository implements TermsConsent {
  constructor(
    @InjectRepository(Consent) private readonly rows: Repository<Consent>,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly events: PartnerEvents,
    private readonly config: LoginConfig,
    private readonly sessions: SessionsRepository,
  ) {}

  /**
   * Records the consent of a step, and rejects the step as `requireInForce` does, also if this consent was given and
   * withdrawn too often today.
   * @throws ConsentErrors.withdrawn
   */
  async giveForStep(consent: NewConsent & SessionIdentity): Promise<void> {
    const { isWithdrawn } = await this.rows.manager.transaction((tx) => this.give(tx, consent));
    // a parallel call may have given it meanwhile
    if (isWithdrawn) await this.requireInForce(consent, consent.purpose);
  }

  /** Records the first consent of a new user. Puts its event among EVENTS, which `begin` of the journey writes. Nothing depends on its answer. */
  async giveFirst(tx: EntityManager, consent: NewConsent, events: NewPartnerEvent[]): Promise<void> {
    const { userId, sessionId, purpose, ip } = consent;
    const id = uuidv7();
    const partnerId = partnerOfCaller(userId);
    if (partnerId) events.push({ type: 'consent.given', partnerId, userId, reasonCode: purpose });
    await pipelined([
      GIVE_CONSENT.rows(tx, this.valuesOf(id, { userId, sessionId, purpose, ip })),
      this.audit.record(tx, { action: 'CONSENT_GIVEN', subject: userId, object: id }),
    ]);
  }

  /**
   * Records a consent. Keeps an equal consent in force (same partner and notice) instead of writing a second one, and records none
   * beyond the limit of the day.
   * @returns whether this purpose, or another that every step requires, is still withdrawn
   */
  async give(tx: EntityManager, consent: NewConsent): Promise<{ isWithdrawn: boolean }> {
    const { isWithdrawn, record } = await this.giveUnrecorded(tx, consent);
    await record();
    return { isWithdrawn };
  }

  /** As `give`, without the audit event of a new consent: `record` adds it, together with the next statements of the caller. */
  async giveUnrecorded(
    tx: EntityManager,
    consent: NewConsent,
  ): Promise<{ isWithdrawn: boolean; record: () => Promise<void> }> {
    const { userId, purpose } = consent;
    const id = uuidv7();
    const [row] = await GIVE_CONSENT.rows(tx, this.valuesOf(id, consent));
    const { isNew, isWithdrawn, given, partnerId } = row ?? failOutside(purpose);
    if (isNew) await this.publishGiven(tx, userId, given as ConsentPurpose, partnerId);
    const entry = { action: 'CONSENT_GIVEN', subject: userId, object: id } as const;
    return { isWithdrawn, record: async () => (isNew ? this.audit.record(tx, entry) : undefined) };
  }

  private async publishGiven(
    tx: EntityManager,
    userId: string,
    purpose: ConsentPurpose,
    partnerId: string | null,
  ): Promise<void> {
    if (partnerId)
      await this.events.add(tx, { type: 'consent.given', partnerId, userId, reasonCode: purpose });
  }

  /**
   * @returns the consent in force
   * @throws GeneralErrors.tooManyRequests if it was given and withdrawn too often today
   */
  async giveNow(consent: NewConsent & SessionIdentity): Promise<RecordedConsent> {
    await this.rows.manager.transaction(async (tx) => {
      const isSharing = consent.purpose === 'PARTNER_SHARING';
      if (isSharing) await this.requireUsable(tx, consent);
      await this.give(tx, consent);
      // with the terms, as after the login that did not give them
      const terms = { purpose: 'TERMS_OF_USE', afterWithdrawal: 'ACCOUNT_ACCESS' } as const;
      if (isSharing) await this.give(tx, { ...consent, ...terms });
    });
    const { userId, partnerId, purpose } = consent;
    const given = await this.recorded(userId)
      .andWhere({ partnerId, purpose, withdrawnAt: IsNull() })
      .orderBy('c.givenAt', 'DESC')
      .limit(1)
      .getRawOne<RecordedConsent>();
    return given ?? this.refuse(MAX_GIVEN_PER_DAY, { userId, partnerId, purpose });
  }

  /**
   * Reads the session again, once no withdrawal of the user runs: one since the start of the call has ended the session, or asks for the
   * second fact, and a call that is under way must not give the consent again.
   * @throws SessionErrors.ended; SessionErrors.unconfirmed
   */
  private async requireUsable(
    tx: EntityManager,
    { userId, sessionId }: Pick<SessionIdentity, 'userId' | 'sessionId'>,
  ): Promise<void> {
    await LOCK_USER.rows(tx, { userId });
    const session = await this.sessions.findOpen(sessionId, userId, tx);
    if (!session) throw SessionErrors.ended();
    if (session.isUnconfirmed) throw SessionErrors.unconfirmed();
  }

  /**
   * Records the user's consent to the terms of a fact sheet.
   * @param hash 64 digits in hex
   * @param documentIssuer code of the issuer, if the sheet is proved to be one of this issuer
   * @throws GeneralErrors.tooManyRequests
   */
  async agreeToFactSheet(
    { userId, sessionId, ip }: Omit<NewConsent, 'purpose'>,
    hash: string,
    documentIssuer?: string,
  ): Promise<void> {
    const id = uuidv7();
    const isKept = await this.rows.manager.transaction(async (tx) => {
      const [kept] = await AGREE_TO_DOCUMENT.rows(tx, {
        ...{ id, userId, sessionId },
        noticeVersion: NOTICES.DEPOSIT_TERMS.version,
        ipHash: this.hash.digest('consents.ip', ip),
        documentHash: Buffer.from(hash, 'hex'),
        documentIssuer: documentIssuer ?? null,
      });
      const { id: keptId } = kept ?? failOutside('DEPOSIT_TERMS');
      if (keptId === id) {
        await this.audit.record(tx, { action: 'CONSENT_GIVEN', subject: userId, object: id });
        await this.publishGiven(tx, userId, 'DEPOSIT_TERMS', partnerOfCaller(userId));
      }
      return keptId !== null;
    });
    if (!isKept) await this.refuse(MAX_DOCUMENTS_PER_DAY, { userId, purpose: 'DEPOSIT_TERMS' });
  }

  /** @throws GeneralErrors.tooManyRequests with the seconds until one more of these consents may be given */
  private async refuse(max: number, given: Readonly<Record<string, unknown>>): Promise<never> {
    const counted = { entity: Consent, time: 'givenAt', max } as const;
    const seconds = await secondsOfFullDay(this.rows.manager, counted, given);
    // 0: a parallel call has withdrawn the consent that this one has given
    throw GeneralErrors.tooManyRequests({ retryAfterSeconds: Math.max(1, seconds) });
  }

  /** Whether a consent to a signed fact sheet of the issuer is in force for the partner. */
  async hasAgreedToFactSheet(userId: string, partnerId: string, documentIssuer: string): Promise<boolean> {
    const agreed = { userId, partnerId, purpose: 'DEPOSIT_TERMS', documentIssuer } as const;
    return this.rows.existsBy({ ...agreed, withdrawnAt: IsNull() });
  }

  /**
   * Rejects a step that shares the user's data if a required consent is withdrawn for the partner of the session: see
   * `withdrawnPurposes`.
   * @param own purposes of the step itself
   * @throws ConsentErrors.withdrawn
   */
  async requireInForce(at: AtPartner, ...own: readonly ConsentPurpose[]): Promise<void> {
    if (!(await this.areInForce(at, ...own))) throw ConsentErrors.withdrawn();
  }

  /** As `requireInForce`, for a step that needs only the terms of use. @throws ConsentErrors.withdrawn */
  async requireTermsInForce(at: AtPartner): Promise<void> {
    if (await this.isAnyWithdrawn(at, ['TERMS_OF_USE'])) throw ConsentErrors.withdrawn();
  }

  /** Whether `requireInForce` lets a session in the app of a partner pass. */
  async areInForce(at: AtPartner, ...own: readonly ConsentPurpose[]): Promise<boolean> {
    return !(await this.isAnyWithdrawn(at, [...PASSING_ON, ...own]));
  }

  private async isAnyWithdrawn(
    { userId, partnerId }: AtPartner,
    purposes: readonly ConsentPurpose[],
  ): Promise<boolean> {
    const { arePartnersSeparate } = this.config;
    const values = { userId, partnerId, purposes, arePartnersSeparate };
    return (await FIND_WITHDRAWN.rows(this.rows.manager, values)).length > 0;
  }

  /**
   * Whether consents cover a call to a provider outside of any session; those given through any one partner are enough.
   * @param own purposes of the call itself
   */
  async cover(userId: string, ...own: readonly ConsentPurpose[]): Promise<boolean> {
    const [found] = await COVERS.rows(this.rows.manager, {
      ...{ userId, purposes: [...PASSING_ON, ...own] },
      arePartnersSeparate: this.config.arePartnersSeparate,
    });
    return found!.isCovered;
  }

  /**
   * A user's consents: those in force first, then the newest. Those to fact sheets, of which a partner may give many, last: no other one must
   * be missing from the list, by which the person finds it to withdraw it.
   */
  async listOfUser(userId: string): Promise<RecordedConsent[]> {
    return this.recorded(userId)
      .orderBy('c.withdrawnAt IS NOT NULL')
      .addOrderBy('c.documentHash IS NOT NULL')
      .addOrderBy('c.givenAt', 'DESC')
      .addOrderBy('c.id', 'DESC')
      .limit(MAX_LISTED)
      .getRawMany<RecordedConsent>();
  }

  /**
   * Withdraws a consent. That to share the account with a partner also ends the partner's sessions, which might give it again by themselves;
   * in the one that withdraws it the person must confirm the account first.
   * @returns undefined if this call did not withdraw it
   */
  async withdraw(
    { userId, sessionId }: SessionIdentity,
    consentId: string,
  ): Promise<WithdrawnRecord | undefined> {
    return this.rows.manager.transaction(async (tx) => {
      // also from a login, which would give again what it still sees in force
      await tx.findOne(User, {
        select: { id: true },
        where: { id: userId },
        lock: { mode: 'pessimistic_write' },
      });
      const { affected } = await tx.update(
        Consent,
        { id: consentId, userId, withdrawnAt: IsNull() },
        { withdrawnAt: () => 'now()' },
      );
      if (!affected) return undefined;
      await this.audit.record(tx, { action: 'CONSENT_WITHDRAWN', subject: userId, object: consentId });
      const { partnerId, ...withdrawn } = (await this.recorded(userId, tx)
        .addSelect('c.partnerId', 'partnerId')
        .andWhere('c.id = :consentId', { consentId })
        .getRawOne<RecordedConsent & { readonly partnerId: string }>())!;
      const { purpose } = withdrawn;
      if (purpose === 'PARTNER_SHARING') await this.endSharing(tx, { userId, sessionId, partnerId });
      await this.events.add(tx, { type: 'consent.withdrawn', partnerId, userId, reasonCode: purpose });
      const isInForce = await tx.existsBy(Consent, { userId, partnerId, purpose, withdrawnAt: IsNull() });
      return { ...withdrawn, isLast: !isInForce };
    });
  }

  /** Withdraws what was given to other versions of the notice too, and ends the sessions of the partner, unless the account is its own. */
  private async endSharing(
    tx: EntityManager,
    { userId, sessionId, partnerId }: { userId: string; sessionId: string; partnerId: string },
  ): Promise<void> {
    const given = { userId, partnerId, purpose: 'PARTNER_SHARING', withdrawnAt: IsNull() } as const;
    for (const { id } of await tx.find(Consent, { select: { id: true }, where: given })) {
      await tx.update(Consent, { id }, { withdrawnAt: () => 'now()' });
      await this.audit.record(tx, { action: 'CONSENT_WITHDRAWN', subject: userId, object: id });
    }
    // which has its sessions without this consent
    if (partnerId === (await partnerOfAccount(tx, userId))) return;
    const open = { userId, partnerId, endedAt: IsNull() };
    const ended = { endedAt: () => 'now()', endReason: 'REVOKED' } as const;
    await tx.update(Session, { ...open, id: Not(sessionId) }, ended);
    await tx.update(Session, { ...open, id: sessionId }, { confirmedAt: null });
  }

  private valuesOf(id: string, { userId, sessionId, purpose, afterWithdrawal, ip }: NewConsent) {
    return {
      ...{ id, userId, sessionId, purpose },
      noticeVersion: NOTICES[purpose].version,
      instead: afterWithdrawal ?? null,
      insteadVersion: afterWithdrawal ? NOTICES[afterWithdrawal].version : null,
      ipHash: this.hash.digest('consents.ip', ip),
      purposes: [...PASSING_ON, purpose],
      arePartnersSeparate: this.config.arePartnersSeparate,
    };
  }

  private recorded(userId: string, tx = this.rows.manager): SelectQueryBuilder<Consent> {
    return tx
      .createQueryBuilder(Consent, 'c')
      .select('c.id', 'consent_id')
      .addSelect('c.purpose', 'purpose')
      .addSelect('c.noticeVersion', 'notice_version')
      .addSelect('c.givenAt', 'given_at')
      .addSelect('c.withdrawnAt', 'withdrawn_at')
      .addSelect('p.url', 'partner_url')
      .addSelect("encode(c.documentHash, 'hex')", 'fact_sheet_hash')
      .innerJoin(Partner, 'p', 'p.id = c.partnerId')
      .where('c.userId = :userId', { userId });
  }
}

/** Explained as an ended session: see EXPLAIN_DEFECT. */
function failOutside(purpose: ConsentPurpose): never {
  throw new Error(`a consent to ${purpose} was given outside of a session`);
}
