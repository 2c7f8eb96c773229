import { Inject, Injectable } from '@nestjs/common';
import { PanErrors } from '@fd/errors';
import { CommandError } from '@fd/platform';
import { type EntityManager, In } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, type OldRows, PiiCipher, SETTLED } from '../../core/index.js';
import {
  addMailNotice,
  type FormerAccounts,
  type NoticeKind,
  ReturningUsers,
  UsersRepository,
} from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { EkycRequestRow } from '../entities/ekyc-request.entity.js';
import { ExistingCustomerRow } from '../entities/existing-customer.entity.js';
import { ContestedIdentity } from './contested-identity.entity.js';
import { FormerPanHolder } from './former-pan-holder.entity.js';
import { openIdentity, sealIdentity, type VerifiedIdentity } from './identities.repository.js';
import { Identity } from './identity.entity.js';
import { PAN_DEPENDENTS, type PanDependents } from './pan-dependents.port.js';
import { PanNoticeRow } from './pan-notice.entity.js';
import { KEEP_IDENTITY } from './pan.queries.js';

/** Claims of another user's PAN that have waited too long for their eKYC. */
export const OLD_CLAIMS: OldRows = {
  name: 'contested PAN claims',
  entity: ContestedIdentity,
  select: (rows) => rows.where("t.verifiedAt <= now() - interval '30 days'"),
};

const FOR_UPDATE = { mode: 'pessimistic_write' } as const;

/** Reasons of a release: for the audit trail, and for the client, as a stable token of the step PAN. */
export interface ReleaseReasons {
  readonly recorded: string;
  readonly shown: string;
}

/**
 * Decides which user has a PAN. The first user to verify it owns it provisionally; a later user is refused and may take
 * it over by an eKYC of its holder. A verified eKYC that was compared with the PAN makes the ownership permanent. Both
 * need a registry that compared the date of birth: otherwise a namesake of the holder proves a name and a date of their
 * own. A document with only the year of birth, which namesakes may share, gives way to one with the full date.
 * `identities` has a row for each user with a PAN, `contested_identities` for each user who claims the PAN of
 * another; the unique index of `identities` decides races. An eKYC that the user's own browser or phone has not completed counts, and
 * leaves the ownership provisional: the user may have sent its link to the holder.
 */
@Injectable()
export class PanClaims {
  constructor(
    private readonly cipher: PiiCipher,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
    private readonly users: UsersRepository,
    @Inject(PAN_DEPENDENTS) private readonly dependents: PanDependents,
    /** For a claim alone: a release notifies nobody. */
    @Inject(ReturningUsers) private readonly returning?: Pick<ReturningUsers, 'isDormant'>,
  ) {}

  /**
   * Assigns a PAN in the transaction that verifies an eKYC of its holder. A provisional user loses it and is notified.
   * @param verificationId the verification of the PAN that the eKYC was compared with
   * @returns whether the user has the PAN; permanently if the registry compared the date of birth
   */
  async confirm(tx: EntityManager, userId: string, verificationId: string): Promise<boolean> {
    // locked, so that no other user takes it over before this transaction ends
    const lock = { mode: 'for_no_key_update' } as const;
    const own = await tx.findOne(Identity, { where: { userId, verificationId }, lock });
    return own !== null || this.takeOver(tx, userId, verificationId);
  }

  /**
   * Releases a PAN with its dependent data: answers of issuers, comparisons of bank accounts, the steps PAN, EKYC and
   * BANK. An eKYC request refers to a verification of the PAN, so it no longer counts; an open one ends. Declarations stay; the
   * worker of BANK withdraws accounts from issuers. Notes whose PAN it was: see ACCOUNTS_WITHOUT_PAN.
   * @returns the former verification of the PAN; undefined if the user has no PAN
   */
  async release(
    tx: EntityManager,
    userId: string,
    { recorded, shown }: ReleaseReasons,
  ): Promise<string | undefined> {
    await lockRequests(tx, userId);
    // a row that an issuer's answer adds waits for the lock, and then is not added
    const released = await tx.findOne(Identity, { where: { userId }, lock: FOR_UPDATE });
    if (!released) return undefined;
    const { verificationId, panIndex } = released;
    await tx.delete(Identity, { userId });
    await tx.upsert(FormerPanHolder, { userId, panIndex }, ['userId']);
    // what issuers said was about the holder of the PAN
    await tx.delete(ExistingCustomerRow, { userId });
    await this.dependents.forgetPan(tx, userId);
    // a proof of the former holder no longer counts: nobody polls for it, or ends a step that is reset
    const unproved = { userId, comparedWith: verificationId, ...OPEN };
    const expired = { ...SETTLED, status: 'EXPIRED', state: 'SETTLED', updatedAt: () => 'now()' } as const;
    await tx.update(EkycRequestRow, unproved, expired);
    const entry = { action: 'PAN_RELEASED', subject: userId, code: recorded } as const;
    await this.audit.record(tx, { ...entry, object: verificationId });
    // in the order of other transactions: accounts before steps
    for (const { step, issuer } of await this.journey.begunSteps(tx, userId, ['PAN', 'EKYC', 'BANK'])) {
      const why = step === 'PAN' ? { reason: shown } : {};
      await this.journey.record(tx, { userId, step, issuer, event: 'RESET', ...why });
    }
    return verificationId;
  }

  /**
   * Releases a PAN, and gives it to a claimant whose eKYC of its holder waits. The other claims end: they would move a PAN that is not final
   * again, and an operator has decided about them.
   * @returns the former verification; undefined, without a change, if no such proof waits, or the claimant is blocked
   * @throws CommandError if a parallel call has moved the PAN or changed the claim
   */
  async releaseTo(
    tx: EntityManager,
    userId: string,
    to: string,
    reasons: ReleaseReasons,
  ): Promise<string | undefined> {
    const claim = await this.lockProved(tx, userId, to);
    if (!claim) return undefined;
    const former = await this.release(tx, userId, reasons);
    if (former === undefined || !(await this.confirm(tx, to, claim.verificationId)))
      throw new CommandError('The PAN or the claim has changed meanwhile: run the command again.');
    await tx.delete(ContestedIdentity, { panIndex: claim.panIndex });
    return former;
  }

  /**
   * The claim of a user to the PAN of another one, if a verified eKYC was compared with it; those are locked before that identity. The
   * claim is not locked: an eKYC that is verified locks it last.
   */
  private async lockProved(
    tx: EntityManager,
    owner: string,
    userId: string,
  ): Promise<ContestedIdentity | undefined> {
    const claim = await tx.findOneBy(ContestedIdentity, { userId });
    const held = await tx.findOneBy(Identity, { userId: owner });
    if (!claim || !held?.panIndex.equals(claim.panIndex)) return undefined;
    if ((await tx.existsBy(Identity, { userId })) || (await this.users.isBlocked(tx, userId)))
      return undefined;
    const where = { userId, status: 'VERIFIED', comparedWith: claim.verificationId } as const;
    const proofs = await tx.find(EkycRequestRow, { where, order: { id: 'ASC' }, lock: FOR_UPDATE });
    return proofs.length > 0 ? claim : undefined;
  }

  /** Claims whose user has completed an eKYC of the PAN's holder while another user keeps the PAN: an operator decides. The oldest first. */
  async waiting(tx: EntityManager): Promise<{ userId: string; ownerId: string; verifiedAt: Date }[]> {
    const proved = tx
      .createQueryBuilder(EkycRequestRow, 'r')
      .where("r.userId = c.userId AND r.comparedWith = c.verificationId AND r.status = 'VERIFIED'");
    return tx
      .createQueryBuilder(ContestedIdentity, 'c')
      .innerJoin(Identity, 'i', 'i.panIndex = c.panIndex')
      .select('c.userId', 'userId')
      .addSelect('i.userId', 'ownerId')
      .addSelect('c.verifiedAt', 'verifiedAt')
      .where(`EXISTS (${proved.select('1').getQuery()})`)
      .orderBy('c.verifiedAt')
      .getRawMany<{ userId: string; ownerId: string; verifiedAt: Date }>();
  }

  private async takeOver(tx: EntityManager, userId: string, verificationId: string): Promise<boolean> {
    try {
      // a savepoint
      return await tx.transaction((nested) => this.takeOnce(nested, userId, verificationId));
    } catch (error) {
      if (!(error instanceof ClaimedMeanwhile)) throw error;
      return this.takeOver(tx, userId, verificationId);
    }
  }

  /** @throws ClaimedMeanwhile; then what it has written must be rolled back */
  private async takeOnce(tx: EntityManager, userId: string, verificationId: string): Promise<boolean> {
    const claim = await tx.findOneBy(ContestedIdentity, { userId, verificationId });
    if (!claim || (await tx.existsBy(Identity, { userId }))) return false;
    const { panIndex } = claim;
    const identity = openIdentity(this.cipher, 'contested_identities', claim);
    if (!(await this.vacate(tx, panIndex, { ...identity, userId }))) return false;
    const [taken] = await KEEP_IDENTITY.rows(tx, {
      ...sealIdentity(this.cipher, 'identities', userId, panIndex, identity),
      isDobCompared: identity.isBirthDateCompared,
    });
    if (!taken) throw new ClaimedMeanwhile();
    await tx.delete(ContestedIdentity, { userId });
    const entry = { action: 'PAN_TAKEN_OVER', subject: userId, object: verificationId } as const;
    await this.audit.record(tx, entry);
    await this.journey.record(tx, { userId, step: 'PAN', event: 'COMPLETED', object: verificationId });
    // also at issuers where the same claim was proved before, and refused
    const proved = { userId, status: 'VERIFIED', comparedWith: verificationId } as const;
    for (const proof of await tx.find(EkycRequestRow, { where: proved, order: { issuerSlug: 'ASC' } })) {
      const { id: object, issuerSlug: issuer } = proof;
      await this.journey.record(tx, { userId, step: 'EKYC', issuer, event: 'COMPLETED', object });
    }
    return true;
  }

  /**
   * Releases a PAN from a provisional user for a claim.
   * @returns false if that user owns it permanently, or has proved as much as the claim, or if the claim's date of birth was
   * not compared
   */
  private async vacate(
    tx: EntityManager,
    panIndex: Buffer,
    { isBirthDateCompared, ...claim }: VerifiedIdentity & { readonly userId: string },
  ): Promise<boolean> {
    const known = await tx.findOneBy(Identity, { panIndex });
    // another holder meanwhile has its requests locked late, and PostgreSQL ends a deadlock
    if (known) await lockRequests(tx, known.userId);
    // eKYCs of that user are verified and read under this lock
    const holder = await tx.findOne(Identity, { where: { panIndex }, lock: FOR_UPDATE });
    if (!holder) return true;
    if (!isBirthDateCompared) return false;
    const [held, claimed] = [await proofsOf(tx, holder), await proofsOf(tx, claim)];
    // who has lost the phone comes back as a claimant, so that the proofs of the account count as those of nobody's browser
    const isGivenUp = await this.users.isPhoneReleased(tx, holder.userId);
    const standing = isGivenUp ? held.map((proof) => ({ ...proof, isBound: false })) : held;
    if (holder.isDobCompared && isPermanent(standing, claimed)) return false;
    const { code } = PanErrors.belongsToAnotherUser;
    await this.release(tx, holder.userId, { recorded: code, shown: code });
    // the phone is somebody else's, or may be
    const isPhoneDoubtful = isGivenUp || (await this.returning!.isDormant(tx, holder.userId));
    // one of both has completed the eKYC of a link that the other one has sent
    const notices: [string, NoticeKind][] = [[holder.userId, 'PAN_LOST']];
    if (held.length > 0) notices.push([claim.userId, 'PAN_GAINED']);
    if (held.length > 0 || isPhoneDoubtful)
      for (const [userId, kind] of notices) await this.notifyByMail(tx, userId, kind);
    if (isPhoneDoubtful) return true;
    await tx.insert(PanNoticeRow, { id: uuidv7(), userId: holder.userId, idempotencyKey: uuidv7() });
    return true;
  }

  /** Notifies both users of a claim by mail that an eKYC with its PAN was completed, and that the PAN stays where it is until an operator decides. */
  async notifyOfClaim(tx: EntityManager, userId: string, verificationId: string): Promise<void> {
    const claim = await tx.findOneBy(ContestedIdentity, { userId, verificationId });
    const holder = claim && (await tx.findOneBy(Identity, { panIndex: claim.panIndex }));
    if (!holder) return;
    await this.notifyByMail(tx, holder.userId, 'PAN_CLAIMED');
    await this.notifyByMail(tx, userId, 'PAN_NOT_GAINED');
  }

  private async notifyByMail(tx: EntityManager, userId: string, kind: NoticeKind): Promise<void> {
    const address = await this.users.emailOf(tx, userId);
    if (address !== null) await addMailNotice(tx, this.cipher, { userId, kind, address });
  }
}

/** Another claim finished first, and decides; or the user has verified another PAN, and its holder keeps this one. */
class ClaimedMeanwhile extends Error {}

/** eKYC requests whose outcome may still change. */
const OPEN = { state: In(['DUE', 'FOLLOWED']) };

/** Locks the open eKYC requests of a user before the identity, as an eKYC that is verified does. */
async function lockRequests(tx: EntityManager, userId: string): Promise<void> {
  const select = { id: true } as const;
  await tx.find(EkycRequestRow, {
    select,
    where: { userId, ...OPEN },
    order: { id: 'ASC' },
    lock: FOR_UPDATE,
  });
}

type Proof = Pick<EkycRequestRow, 'isFullDate' | 'isBound'>;

async function proofsOf(
  tx: EntityManager,
  { userId, verificationId }: { readonly userId: string; readonly verificationId: string },
): Promise<Proof[]> {
  const where = { userId, status: 'VERIFIED', comparedWith: verificationId } as const;
  return tx.find(EkycRequestRow, { select: { isFullDate: true, isBound: true }, where });
}

/** The full date of birth, or its year, which namesakes may share. */
function strengthOf(proofs: readonly Proof[]): 'DATE' | 'YEAR' | undefined {
  if (proofs.length === 0) return undefined;
  return proofs.some(({ isFullDate }) => isFullDate !== false) ? 'DATE' : 'YEAR';
}

/** The same of the eKYCs that the user's own browser or phone has completed. */
const ownStrengthOf = (proofs: readonly Proof[]) => strengthOf(proofs.filter(({ isBound }) => isBound));

/**
 * Whether the proofs of a holder stand against those of a claimant. A proof that was not completed by the holder's own browser or phone
 * gives way to an equal one: the holder may have sent the link to the claimant.
 */
function isPermanent(held: readonly Proof[], claimed: readonly Proof[]): boolean {
  const [all, own] = [strengthOf(held), ownStrengthOf(held)];
  const isByYear = strengthOf(claimed) === 'YEAR';
  return own === 'DATE' || (isByYear && (own === 'YEAR' || all === 'DATE'));
}

/** Whether no claim can take a PAN over: a bound eKYC with the full date has proved it, and the registry compared that date. */
async function isFinal(tx: EntityManager, identity: Identity): Promise<boolean> {
  return identity.isDobCompared && ownStrengthOf(await proofsOf(tx, identity)) === 'DATE';
}

/**
 * An account is a user's former one if it has lost the PAN that is final in the user's account now, and has no PAN itself. One with another
 * PAN is another person's, who had this one by mistake.
 */
export const ACCOUNTS_WITHOUT_PAN: FormerAccounts = {
  isOf: async (tx, userId, account) => {
    const identity = await tx.findOneBy(Identity, { userId });
    if (!identity || (await tx.existsBy(Identity, { userId: account }))) return false;
    const lost = await tx.existsBy(FormerPanHolder, { userId: account, panIndex: identity.panIndex });
    return lost && isFinal(tx, identity);
  },
};
