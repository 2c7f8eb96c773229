import { Injectable } from '@nestjs/common';
import { type AppError, ConsentErrors, type ErrorCode, PanErrors } from '@fd/errors';
import { pipelined } from '@fd/platform';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  type CallState,
  KeyedHash,
  type OldRows,
  PiiCipher,
  type SessionIdentity,
} from '../../core/index.js';
import {
  ConsentsRepository,
  type CountedRows,
  countRow,
  oldCounted,
  UsersRepository,
} from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { differenceFrom, openIdentity, type VerifiedIdentity } from './identities.repository.js';
import type { Identity } from './identity.entity.js';
import { PanCheckRow } from './pan-check.entity.js';
import { PanLookupRow } from './pan-lookup.entity.js';
import { ADD_CHECK, END_CHECK, FIND_BEGINNING, MAX_LOOKUPS_PER_DAY } from './pan.queries.js';
import type { PaidPart, PanQuery } from './pan-registry.port.js';

export type Claimant = SessionIdentity & { readonly ip: string };

/**
 * A paid look-up at the PAN registry. Its id is also the reference there and the id of the verification. DUE: no answer yet. REFUSED: with
 * the reason in `refusal`.
 */
export interface PanCheck extends CallState<'DUE' | 'VERIFIED' | 'REFUSED'> {
  readonly userId: string;
  /** Undefined after its end. */
  readonly claim: PanQuery | undefined;
  /** The first of two paid calls, if the look-up got so far. */
  readonly paid: PaidPart | undefined;
  readonly refusal: ErrorCode | null;
  /** Set by the process that begins the check and makes its look-up. */
  readonly isNew?: true;
}

export type NewPanCheck = PanCheck & { readonly claim: PanQuery };

export type PanCheckStatus = Pick<PanCheck, 'id' | 'state' | 'refusal'> & { readonly settledAt: Date | null };

type BegunCheck =
  | { readonly outcome: 'begun'; readonly check: NewPanCheck }
  | { readonly outcome: 'under-way'; readonly id: string }
  | { readonly outcome: 'known'; readonly identity: VerifiedIdentity }
  | { readonly outcome: 'refused'; readonly refusal: AppError; readonly isGuess?: boolean };

const tooMany = (retryAfterSeconds: number) =>
  ({ outcome: 'refused', refusal: PanErrors.tooManyLookups({ retryAfterSeconds }) }) as const;

/** Checks whose outcome can no longer be read. */
export const OLD_PAN_CHECKS: OldRows = {
  name: 'old PAN checks',
  entity: PanCheckRow,
  select: (rows) => rows.where("t.settledAt <= now() - interval '7 days'"),
};

const NEW_CHECK: Omit<PanCheck, 'id' | 'userId' | 'claim' | 'leaseId'> = {
  ...{ state: 'DUE', tries: 0, isLeased: true, isCooled: false, isOverdue: false },
  ...{ paid: undefined, refusal: null, isNew: true },
};

/** A query and what was paid for it, encrypted together: both are deleted when the check ends. */
type SealedClaim = PanQuery & { readonly paid?: PaidPart };

/** Look-ups of a user and claims that differ from the user's identity, by day. */
const LOOKUPS: CountedRows = { entity: PanLookupRow, time: 'startedAt', max: MAX_LOOKUPS_PER_DAY };

export const OLD_LOOKUPS = oldCounted('old PAN look-ups', LOOKUPS);

/** PAN checks. Stores the encrypted query until the registry has answered, and counts look-ups. */
@Injectable()
export class PanChecksRepository {
  constructor(
    @InjectRepository(PanCheckRow) private readonly rows: Repository<PanCheckRow>,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly users: UsersRepository,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /**
   * Records the consent and begins a check, counted in advance and leased by the caller, with its step. A claim that differs from the
   * identity of the user is counted too: PAN and date of birth are the second fact of an account, which nobody may guess here.
   */
  async begin(
    { userId, sessionId, ip }: Claimant,
    claim: PanQuery,
    leaseSeconds: number,
  ): Promise<BegunCheck> {
    const id = uuidv7();
    const claimIndex = this.hash.digest('pan_checks.claim', `${claim.pan} ${claim.dateOfBirth}`);
    return this.rows.manager.transaction(async (tx): Promise<BegunCheck> => {
      const [, { isWithdrawn, record }, [found], startable] = await pipelined([
        this.users.lock(tx, userId),
        this.consents.giveUnrecorded(tx, { userId, sessionId, purpose: 'PAN_VERIFICATION', ip }),
        FIND_BEGINNING.rows(tx, { userId, claimIndex }),
        // uncounted look-ups still change the step
        this.journey.secondsUntilStartable(tx, userId, 'PAN'),
      ]);
      const unneeded = this.withoutCheck(found!, claim, isWithdrawn, startable);
      if (unneeded) {
        await record();
        if (unneeded.outcome === 'refused' && unneeded.isGuess) await countRow(tx, LOOKUPS, userId);
        return unneeded;
      }
      const sealed = this.cipher.encrypt(JSON.stringify(claim), locationOf(id));
      const reason = PanErrors.pending.code;
      await pipelined([
        record(),
        ADD_CHECK.run(tx, { id, userId, claimIndex, claim: sealed, leaseSeconds }),
        this.journey.recordAndCommit(tx, { userId, step: 'PAN', event: 'STARTED', reason, object: id }),
      ]);
      return { outcome: 'begun', check: { ...NEW_CHECK, id, userId, claim, leaseId: id } };
    });
  }

  /** Why no check begins. @param startable seconds until the step may begin */
  private withoutCheck(
    { known, underWay, waitSeconds }: Awaited<ReturnType<typeof FIND_BEGINNING.rows>>[number],
    claim: PanQuery,
    isWithdrawn: boolean,
    startable: number,
  ): Exclude<BegunCheck, { outcome: 'begun' }> | undefined {
    if (known) {
      // before the comparison, so that a right guess is not answered either
      if (waitSeconds !== null) return tooMany(waitSeconds);
      const row = known as unknown as Identity;
      const identity = openIdentity(this.cipher, 'identities', row);
      const differs = differenceFrom(identity, claim);
      if (differs) return { outcome: 'refused', refusal: differs(), isGuess: true };
      // a time in JSON is text
      return { outcome: 'known', identity: { ...identity, verifiedAt: new Date(row.verifiedAt) } };
    }
    if (underWay !== null) return { outcome: 'under-way', id: underWay };
    if (isWithdrawn) return { outcome: 'refused', refusal: ConsentErrors.withdrawn() };
    const full = Math.max(waitSeconds ?? 0, startable);
    return full > 0 ? tooMany(full) : undefined;
  }

  async findById(id: string): Promise<PanCheck> {
    return this.opened(await this.rows.findOneByOrFail({ id }));
  }

  async findStatus(userId: string, id: string): Promise<PanCheckStatus | undefined> {
    const select = { id: true, state: true, refusal: true, settledAt: true } as const;
    const status = await this.rows.findOne({ select, where: { id, userId } });
    return status ?? undefined;
  }

  async lockById(tx: EntityManager, id: string): Promise<PanCheck> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.opened(await tx.findOneOrFail(PanCheckRow, { where: { id }, lock }));
  }

  /**
   * @param refusal null if the user's identity confirms the claim @param isFree whether its look-up does not count
   * @returns false if the check has ended before
   */
  async end(tx: EntityManager, id: string, refusal: ErrorCode | null, isFree = false): Promise<boolean> {
    const [ended] = await END_CHECK.rows(tx, { id, refusal, isFree });
    if (!ended) return false;
    if (refusal !== null) {
      // look-ups of two PANs at once may end alike
      const failed = { step: 'PAN', event: 'FAILED', reason: refusal, isAnotherTry: true } as const;
      await this.journey.record(tx, { userId: ended.userId, ...failed });
    }
    return true;
  }

  /** Stores the paid part of a look-up that the caller still runs, and renews its lease. */
  async keepPaid(
    { id, claim }: Pick<NewPanCheck, 'id' | 'claim'>,
    paid: PaidPart,
    leaseSeconds: number,
  ): Promise<void> {
    const sealed: SealedClaim = { ...claim, paid };
    await this.rows
      .createQueryBuilder()
      .update()
      .set({
        claimEncrypted: this.cipher.encrypt(JSON.stringify(sealed), locationOf(id)),
        leasedUntil: () => 'now() + make_interval(secs => :leaseSeconds)',
      })
      .where({ id, state: 'DUE', leaseId: id })
      .setParameters({ leaseSeconds })
      .execute();
  }

  private opened(row: PanCheckRow): PanCheck {
    const { id, claimEncrypted } = row;
    if (claimEncrypted === null) return { ...row, claim: undefined, paid: undefined };
    const opened = JSON.parse(this.cipher.decrypt(claimEncrypted, locationOf(id))) as SealedClaim;
    const { paid, ...claim } = opened;
    return { ...row, claim, paid };
  }
}

const locationOf = (id: string) => ({ table: 'pan_checks', column: 'claim', id });
