import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { BankErrors, type ErrorCode } from '@fd/errors';
import { type EntityManager, In, Not, type Repository, type SelectQueryBuilder } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { Issuer } from '../../config/index.js';
import {
  type CallState,
  DUE_AGAIN,
  HANDED_OVER_AT,
  partnerOfCaller,
  REOPENED,
  SETTLED,
  stateAfter,
} from '../../core/index.js';
import { JourneyRepository, type StepChange } from '../../journey/index.js';
import { PanHolder } from '../../kyc/index.js';
import { BankWithdrawal } from './bank-withdrawal.entity.js';
import { BankAccountRow } from './bank-account.entity.js';
import type { BankAccount } from './bank-accounts.repository.js';
import { BankSync } from './bank-sync.entity.js';
import {
  type AccountState,
  type ComparedAccount,
  IS_MISMATCH_IN_REVIEW,
  IS_REGISTRABLE,
  type NameReview,
  REGISTRATION_REFUSALS,
  REGISTRATION_TRANSITIONS,
  type RegistrationEvent,
  type RegistrationState,
  waitOf,
} from './bank.states.js';

export interface AccountRegistration extends CallState<RegistrationState> {
  readonly accountId: string;
  /** Sent with every try, so that the issuer acts once. */
  readonly idempotencyKey: string;
  /** The issuer's own id of a registration that it has accepted. */
  readonly receipt: string | null;
  readonly userId: string;
  readonly issuerSlug: string;
  /** The issuer's id of the registration. */
  readonly reference: string | null;
  /** Through which the account was given at the issuer; null: that of the step. */
  readonly partnerId: string | null;
  /** Whether the issuer must remove a former registration first. */
  readonly isBeingWithdrawn: boolean;
  /** Whether a try with the current key may have reached the issuer: while it is open, the issuer may have the account. */
  readonly isSent: boolean;
  /** Whether the bank and the names still confirm the account. */
  readonly isVerified: boolean;
}

type BankStepChange = Pick<
  StepChange,
  'event' | 'reason' | 'isLimited' | 'isAnotherTry' | 'isAuditedIfChanged' | 'partnerId' | 'onlyFrom'
> & {
  readonly issuer: string;
};

type Given = Pick<BankSync, 'issuerSlug' | 'partnerId'>;

/** An account that is registered at an issuer, or waits to be. */
type AccountAtIssuer = Given & ComparedAccount & { readonly isRegistered: boolean };

/**
 * `next_try_at` of a registration whose account waits for a PAN or a review, which ends with `restartClocks`: the worker
 * skips such rows, and looks at a forgotten one after a day.
 */
const PARKED = (): string => "now() + interval '1 day'";

const WITHDRAWN_AT_ONCE = 50;

const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/** Registrations of bank accounts, one for each account and issuer, and the step BANK that follows them. */
@Injectable()
export class RegistrationsRepository {
  constructor(
    @InjectRepository(BankSync) private readonly rows: Repository<BankSync>,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Requests the registration of an account at an issuer, if one is named, and records that the step has started,
   * together with other changes. The caller has locked the account.
   * @throws GeneralErrors.tooManyRequests when the step has changed too often today
   */
  async request(
    tx: EntityManager,
    { id, userId, ...account }: Pick<BankAccount, 'id' | 'userId'> & ComparedAccount,
    issuer: Issuer | undefined,
    changes: readonly BankStepChange[] = [],
  ): Promise<AccountRegistration | undefined> {
    const registration = issuer && (await this.findOrCreate(tx, { id, userId, ...account }, issuer.slug));
    const started: BankStepChange[] =
      registration?.state === 'DUE'
        ? [
            {
              issuer: registration.issuerSlug,
              event: 'STARTED',
              reason: waitOf(account) ?? undefined,
              isLimited: true,
            },
          ]
        : [];
    await this.recordSteps(tx, userId, [...changes, ...started]);
    return registration;
  }

  async findById(id: string): Promise<AccountRegistration> {
    return (await readOne(selected(this.rows.manager).where('r.id = :id', { id })))!;
  }

  /** The registration at an issuer or, without an issuer, the latest one. */
  async findByAccount(
    accountId: string,
    issuerSlug: string | undefined,
  ): Promise<AccountRegistration | undefined> {
    const ofAccount = selected(this.rows.manager).where({ accountId, ...(issuerSlug && { issuerSlug }) });
    return readOne(ofAccount.orderBy('r.askedAt', 'DESC').addOrderBy('r.id', 'DESC').limit(1));
  }

  async findByIssuer(tx: EntityManager, accountId: string, issuerSlug: string): Promise<AccountRegistration> {
    return (await readOne(selected(tx).where({ accountId, issuerSlug })))!;
  }

  async lockById(tx: EntityManager, id: string): Promise<AccountRegistration> {
    return (await readOne(locked(selected(tx)).where('r.id = :id', { id })))!;
  }

  async lockByIssuer(tx: EntityManager, accountId: string, issuerSlug: string): Promise<AccountRegistration> {
    return (await readOne(locked(selected(tx)).where({ accountId, issuerSlug })))!;
  }

  /**
   * Records, before the call, that a try may reach the issuer. The first try needs an account whose names match; later ones
   * find out what became of it.
   * @returns false if the registration must not be sent, or the lease was lost
   */
  async recordSent({ id, accountId, leaseId }: AccountRegistration): Promise<boolean> {
    const sendable = this.rows.manager
      .createQueryBuilder(BankAccountRow, 'a')
      .select('a.id')
      .where(`a.id = :accountId AND ${IS_REGISTRABLE}`);
    const { affected } = await this.rows
      .createQueryBuilder()
      .update()
      .set({ sentAt: () => 'coalesce(sent_at, now())' })
      .where("id = :id AND lease_id = :leaseId AND state = 'DUE'")
      .andWhere(`(sent_at IS NOT NULL OR EXISTS (${sendable.getQuery()}))`)
      .setParameters({ id, leaseId, accountId })
      .execute();
    return affected === 1;
  }

  /** Undoes `recordSent` of a first try after the issuer has proved that it did nothing. */
  async forgetSent({ id, leaseId }: AccountRegistration, tx = this.rows.manager): Promise<void> {
    await tx.update(BankSync, { id, leaseId: leaseId! }, { sentAt: null });
  }

  /** Writes the result of a registration, and its effect on the step BANK. */
  async settle(
    tx: EntityManager,
    { id, accountId, state, userId, issuerSlug, partnerId }: AccountRegistration,
    event: RegistrationEvent,
    { reference, settlesStep, refusal }: { reference?: string; settlesStep: boolean; refusal?: ErrorCode },
  ): Promise<void> {
    const result = stateAfter(REGISTRATION_TRANSITIONS, state, event);
    await tx.update(BankSync, { id }, { ...SETTLED, state: result, reference: reference ?? null });
    if (!settlesStep) return;
    const reason = refusal ?? REGISTRATION_REFUSALS[result]?.code;
    if (reason) return this.failSteps(tx, { id: accountId, userId }, [{ issuerSlug, partnerId }], reason);
    const completed = { issuer: issuerSlug, event: 'COMPLETED', partnerId, isAnotherTry: true } as const;
    await this.recordSteps(tx, userId, [completed]);
  }

  /**
   * Drops the unsent registrations of an unusable account, and fails the step BANK at every issuer of the account: see
   * `failSteps`. A registration that may have reached its issuer stays open, or is opened again,
   * until its outcome is known. Requests the withdrawal of another person's account from issuers that have it. The caller
   * has locked the account.
   */
  async dropForAccount(
    tx: EntityManager,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    reason: ErrorCode,
  ): Promise<void> {
    // locked, to see tries that a worker has recorded meanwhile
    const rows = await tx.find(BankSync, {
      where: { accountId: id, state: Not(In(['INVALID', 'DROPPED'])) },
      order: { id: 'ASC' },
      lock: FOR_UPDATE,
    });
    const unsent = rows.filter(({ state, sentAt }) => state === 'DUE' && sentAt === null);
    const inDoubt = rows.filter(
      ({ state, sentAt }) => (state === 'DUE' || state === 'ABANDONED') && sentAt !== null,
    );
    // issuers may have the account already when a name is compared later
    const known = rows.filter(({ state }) => state === 'ACCEPTED' || state === 'SYNCED');
    const dropped = { ...SETTLED, state: stateAfter(REGISTRATION_TRANSITIONS, 'DUE', 'DROPPED') };
    await this.updateAll(tx, unsent, dropped);
    const reopened = { ...REOPENED, state: stateAfter(REGISTRATION_TRANSITIONS, 'ABANDONED', 'ASKED_AGAIN') };
    await this.updateAll(tx, inDoubt, reopened);
    const given = [...unsent, ...inDoubt, ...known];
    await this.failSteps(tx, { id, userId }, given, reason);
    if (given.length === 0) {
      const refused = { type: 'bank.refused', userId, step: 'BANK', reasonCode: reason } as const;
      const ended = await tx.findBy(BankSync, { accountId: id });
      await this.journey.publish(tx, refused, ended.length > 0 ? ended : [givenByCaller(userId)]);
    }
    if (reason === BankErrors.holderDiffers.code) await this.withdraw(tx, id);
  }

  /**
   * Fails the step BANK of an account at issuers, even if it was done with this account alone. The step stays done at an
   * issuer that has another account of the user, and is in progress again where another account is being registered.
   */
  private async failSteps(
    tx: EntityManager,
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
    given: readonly Given[],
    reason: ErrorCode,
  ): Promise<void> {
    const others = await this.lockOthers(tx, userId, given, id);
    const changes = given.flatMap(({ issuerSlug: issuer, partnerId }): BankStepChange[] => {
      const failed = { issuer, event: 'FAILED', reason, partnerId, isAnotherTry: true } as const;
      const atIssuer = others.filter(({ issuerSlug }) => issuerSlug === issuer);
      if (atIssuer.some(({ isRegistered }) => isRegistered)) return [failed];
      const [other] = atIssuer;
      // a done step would stay done; the partner of the account that has completed it learns that
      const reset = { issuer, event: 'RESET', onlyFrom: ['DONE'] } as const;
      return [reset, failed, ...(other ? [startedWith(other)] : [])];
    });
    await this.recordSteps(tx, userId, changes);
  }

  /**
   * Fails the step BANK at an issuer for a call that was refused at once, of which nothing is stored; not where another account of the user
   * keeps the step as it is. Without an issuer the partner alone learns of it.
   * @param isAnotherTry otherwise the call repeats another one
   * @throws GeneralErrors.tooManyRequests if the step has changed too often today
   */
  async refuse(
    tx: EntityManager,
    userId: string,
    issuer: string | undefined,
    { reason, isAnotherTry }: { reason: ErrorCode; isAnotherTry: boolean },
  ): Promise<void> {
    const caller = givenByCaller(userId);
    if (issuer === undefined) {
      const refused = { type: 'bank.refused', userId, step: 'BANK', reasonCode: reason } as const;
      if (isAnotherTry) await this.journey.publish(tx, refused, [caller]);
      return;
    }
    const { partnerId } = caller;
    const others = await this.lockOthers(tx, userId, [{ issuerSlug: issuer, partnerId }]);
    if (others.length > 0 && !isAnotherTry) return;
    const failed: BankStepChange = {
      ...{ issuer, event: 'FAILED', reason, partnerId, isLimited: true, isAuditedIfChanged: true },
      ...(isAnotherTry && { isAnotherTry }),
    };
    const waiting = others.some(({ isRegistered }) => isRegistered) ? [] : others.slice(0, 1);
    await this.recordSteps(tx, userId, [failed, ...waiting.map(startedWith)]);
  }

  /** The user's other accounts at issuers, the last given first. Locks the steps, to see them as parallel changes leave them. */
  private async lockOthers(
    tx: EntityManager,
    userId: string,
    given: readonly Given[],
    accountId?: string,
  ): Promise<AccountAtIssuer[]> {
    const issuers = given.map(({ issuerSlug }) => issuerSlug);
    await this.journey.lock(tx, userId, 'BANK', issuers);
    return tx
      .createQueryBuilder(BankSync, 'r')
      .innerJoin(BankAccountRow, 'a', 'a.id = r.accountId')
      .select('r.issuerSlug', 'issuerSlug')
      .addSelect('r.partnerId', 'partnerId')
      .addSelect("r.state = 'SYNCED'", 'isRegistered')
      .addSelect('a.state', 'state')
      .addSelect('a.isCompared', 'isCompared')
      .addSelect('a.nameReview', 'review')
      .where({ issuerSlug: In(issuers), ...(accountId && { accountId: Not(accountId) }) })
      .andWhere('a.userId = :userId', { userId })
      .andWhere(
        `(r.state = 'SYNCED' AND a.state = 'VERIFIED'
          OR r.state IN ('DUE', 'ACCEPTED') AND (a.state IN ('DUE', 'PROCESSING', 'VERIFIED') OR ${IS_MISMATCH_IN_REVIEW}))`,
      )
      .orderBy('r.askedAt', 'DESC')
      .getRawMany<AccountAtIssuer>();
  }

  /**
   * Requests the withdrawal of another person's account from the issuers that have it. A later registration there gets a
   * new key. The caller has locked the account.
   */
  async withdraw(tx: EntityManager, accountId: string): Promise<void> {
    const state = stateAfter(REGISTRATION_TRANSITIONS, 'SYNCED', 'DROPPED');
    await this.requestWithdrawals(tx, accountId, { ...SETTLED, state });
  }

  /**
   * Requests the withdrawal of an account that belonged to a PAN which its user has lost, or whose names differ and are in review.
   * The registrations wait for the next PAN, or for the decision. The caller has locked the account.
   */
  async withdrawWhileWaiting(tx: EntityManager, accountId: string): Promise<void> {
    const state = stateAfter(REGISTRATION_TRANSITIONS, 'SYNCED', 'ASKED_AGAIN');
    await this.requestWithdrawals(tx, accountId, { ...DUE_AGAIN, receipt: null, nextTryAt: PARKED, state });
  }

  /** Ids of accounts that issuers have although their users have lost their PAN, a batch. */
  async findWithoutPan(): Promise<string[]> {
    const rows = await this.rows
      .createQueryBuilder('r')
      .innerJoin(BankAccountRow, 'a', 'a.id = r.accountId')
      .leftJoin(PanHolder, 'h', 'h.userId = a.userId')
      .leftJoin(
        BankWithdrawal,
        'w',
        "w.accountId = r.accountId AND w.issuerSlug = r.issuerSlug AND w.state = 'KEPT'",
      )
      .select('a.id', 'id')
      .distinct()
      .where("r.state = 'SYNCED' AND a.state = 'VERIFIED' AND NOT a.isCompared")
      .andWhere('w.id IS NULL AND h.userId IS NULL')
      .orderBy('id', 'DESC')
      .limit(WITHDRAWN_AT_ONCE)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the changes of the step BANK at the issuers of an account after a comparison or a review of its names:
   * waiting, with the reason, or completed at issuers that already have the account.
   */
  async verifiedSteps(
    tx: EntityManager,
    { id, ...account }: Pick<BankAccount, 'id'> & ComparedAccount,
  ): Promise<BankStepChange[]> {
    const reason = waitOf(account) ?? undefined;
    const rows = await tx.findBy(BankSync, { accountId: id, state: In(['DUE', 'ACCEPTED', 'SYNCED']) });
    return rows.map(({ issuerSlug: issuer, state, partnerId }) =>
      state === 'SYNCED' && reason === undefined
        ? { issuer, event: 'COMPLETED', partnerId }
        : { issuer, event: 'STARTED', reason, partnerId },
    );
  }

  /** Adds an event for the partners through which an account was given, if it is verified and was not before. */
  async publishVerified(
    tx: EntityManager,
    { id, userId, state: former }: Pick<BankAccount, 'id' | 'userId' | 'state'>,
    state: AccountState,
  ): Promise<void> {
    if (state !== 'VERIFIED' || former === 'VERIFIED' || !this.journey.mayPublish) return;
    const rows = await tx.findBy(BankSync, { accountId: id });
    const given = rows.length > 0 ? rows : [givenByCaller(userId)];
    await this.journey.publish(tx, { type: 'bank.verified', userId, step: 'BANK' }, given);
  }

  /** Adds an event if a review of an account's names begins, and does not go on with other names. */
  async publishReviewStarted(
    tx: EntityManager,
    account: Pick<BankAccount, 'id' | 'userId' | 'review'>,
    review: NameReview,
  ): Promise<void> {
    if (review === 'WAITING' && account.review !== 'WAITING')
      await this.publishReview(tx, 'bank.review_started', account);
  }

  /** Adds events about the review of an account's names, for each issuer that has the account or is to get it. */
  async publishReview(
    tx: EntityManager,
    type: 'bank.review_started' | 'bank.review_decided',
    { id, userId }: Pick<BankAccount, 'id' | 'userId'>,
  ): Promise<void> {
    if (!this.journey.mayPublish) return;
    const rows = await tx.find(BankSync, {
      where: { accountId: id, state: In(['DUE', 'ACCEPTED', 'SYNCED']) },
      order: { issuerSlug: 'ASC' },
    });
    for (const given of rows.length > 0 ? rows : [givenByCaller(userId)])
      await this.journey.publish(tx, { type, userId, step: 'BANK', issuer: given.issuerSlug }, [given]);
  }

  /** In a fixed order of issuers, so that two accounts of a user do not deadlock. */
  async recordSteps(tx: EntityManager, userId: string, changes: readonly BankStepChange[]): Promise<void> {
    const sorted = [...changes].sort((a, b) => Number(a.issuer > b.issuer) - Number(a.issuer < b.issuer));
    for (const change of sorted) await this.journey.record(tx, { userId, step: 'BANK', ...change });
  }

  /**
   * Restarts the issuers' time limit of a day, part of which went to the verification, the review or the wait for a
   * PAN. Parks the registrations of a waiting account, and wakes those of an account that no longer waits. The caller
   * has locked the account.
   */
  async restartClocks(
    tx: EntityManager,
    { id, ...account }: Pick<BankAccount, 'id'> & ComparedAccount,
  ): Promise<void> {
    const next = (): string => `CASE WHEN next_try_at > ${HANDED_OVER_AT()} THEN now() ELSE next_try_at END`;
    const nextTryAt = waitOf(account) === null ? next : PARKED;
    await tx.update(BankSync, { accountId: id, state: 'DUE' }, { dueSince: () => 'now()', nextTryAt });
  }

  /** Parks a registration whose account waits. The caller has locked the account. */
  async park(tx: EntityManager, id: string): Promise<void> {
    await tx.update(BankSync, { id, state: 'DUE' }, { nextTryAt: PARKED });
  }

  /**
   * Returns the registration at an issuer, or creates it. A refusal that is old enough becomes due again with a new
   * idempotency key, a dropped or abandoned registration with its former key. Until the issuer has it, it belongs to the partner through
   * which the account was given last.
   */
  private async findOrCreate(
    tx: EntityManager,
    { id: accountId, userId, ...account }: Pick<BankAccount, 'id' | 'userId'> & ComparedAccount,
    issuerSlug: string,
  ): Promise<AccountRegistration> {
    const partnerId = partnerOfCaller(userId);
    await tx
      .createQueryBuilder()
      .insert()
      .into(BankSync)
      .values({
        ...{ id: uuidv7(), accountId, issuerSlug, idempotencyKey: randomUUID(), askedAt: () => 'now()' },
        ...{ nextTryAt: waitOf(account) === null ? HANDED_OVER_AT : PARKED, partnerId },
      })
      .orUpdate(['asked_at'], ['account_id', 'issuer_slug'])
      .execute();
    const claimed = await this.lockByIssuer(tx, accountId, issuerSlug);
    const { id, state, isCooled, idempotencyKey } = claimed;
    const isMoved = partnerId !== null && partnerId !== claimed.partnerId && state !== 'SYNCED';
    if (isMoved) await tx.update(BankSync, { id }, { partnerId });
    const isDueAgain = state === 'DROPPED' || state === 'ABANDONED' || (state === 'INVALID' && isCooled);
    if (!isDueAgain) return isMoved ? { ...claimed, partnerId } : claimed;
    const another = state === 'INVALID' ? { idempotencyKey: randomUUID(), sentAt: null } : { idempotencyKey };
    await tx.update(
      BankSync,
      { id },
      {
        ...{ ...DUE_AGAIN, ...another, receipt: null },
        state: stateAfter(REGISTRATION_TRANSITIONS, state, 'ASKED_AGAIN'),
      },
    );
    return this.lockById(tx, id);
  }

  private async requestWithdrawals(
    tx: EntityManager,
    accountId: string,
    next: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const where = { accountId, state: 'SYNCED' } as const;
    for (const row of await tx.find(BankSync, { where, order: { id: 'ASC' }, lock: FOR_UPDATE })) {
      const { id, issuerSlug, reference } = row;
      const renewed = { reference: null, idempotencyKey: randomUUID(), sentAt: null };
      await tx.update(BankSync, { id }, { ...next, ...renewed });
      const withdrawal = { id: uuidv7(), accountId, issuerSlug, reference: reference! };
      await tx.insert(BankWithdrawal, { ...withdrawal, idempotencyKey: randomUUID() });
    }
  }

  private async updateAll(
    tx: EntityManager,
    rows: readonly BankSync[],
    values: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    if (rows.length > 0) await tx.update(BankSync, { id: In(rows.map(({ id }) => id)) }, values);
  }
}

/** The step of an issuer goes on with an account that waits there. */
const startedWith = ({ issuerSlug: issuer, partnerId, ...account }: AccountAtIssuer): BankStepChange => ({
  ...{ issuer, event: 'STARTED', reason: waitOf(account) ?? undefined, partnerId },
});

/** For an account that was given at no issuer: the partner in whose app its user is now, if any. */
const givenByCaller = (userId: string) => ({ issuerSlug: undefined, partnerId: partnerOfCaller(userId) });

/** Columns beside those of the entity. */
type Joined = Pick<AccountRegistration, 'userId' | 'isVerified' | 'isBeingWithdrawn'>;

function selected(tx: EntityManager): SelectQueryBuilder<BankSync> {
  return tx
    .createQueryBuilder(BankSync, 'r')
    .innerJoin(BankAccountRow, 'a', 'a.id = r.accountId')
    .leftJoin(
      BankWithdrawal,
      'w',
      "w.accountId = r.accountId AND w.issuerSlug = r.issuerSlug AND w.state = 'DUE'",
    )
    .addSelect('a.userId', 'userId')
    .addSelect("a.state = 'VERIFIED'", 'isVerified')
    .addSelect('w.id IS NOT NULL', 'isBeingWithdrawn');
}

const locked = (rows: SelectQueryBuilder<BankSync>): SelectQueryBuilder<BankSync> =>
  rows.setLock('pessimistic_write', undefined, ['r']);

async function readOne(rows: SelectQueryBuilder<BankSync>): Promise<AccountRegistration | undefined> {
  const { entities, raw } = await rows.getRawAndEntities<Joined>();
  const [[row], [joined]] = [entities, raw];
  if (!row || !joined) return undefined;
  const { userId, isVerified, isBeingWithdrawn } = joined;
  return { ...row, userId, isVerified, isBeingWithdrawn, isSent: row.sentAt !== null };
}
