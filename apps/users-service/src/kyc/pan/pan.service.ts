import { Injectable } from '@nestjs/common';
import { within } from '@fd/envelope';
import { AppError, ConsentErrors, errorOf, GeneralErrors, PanErrors } from '@fd/errors';
import { validate as isUuid } from 'uuid';
import { WaitingCallers, waitMs } from '../../core/index.js';
import { IdentitiesRepository, type VerifiedIdentity } from './identities.repository.js';
import { type Claimant, PanChecksRepository, type PanCheckStatus } from './pan-checks.repository.js';
import { differenceFrom, PanChecks } from './pan-checks.service.js';
import type { PanQuery } from './pan-registry.port.js';

/** An identity, or the id of a running check. */
export type PanVerification =
  { readonly identity: VerifiedIdentity } | { readonly identity?: never; readonly pendingId: string };

/** Maximum time between an identity and the end of its check, in two transactions. */
const SAME_MOMENT_MS = 10_000;

/** Verifies a user's identity by their PAN. One user has one PAN, and one PAN has one user: see PanClaims. */
@Injectable()
export class PanService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly repository: PanChecksRepository,
    private readonly checks: PanChecks,
    private readonly waiting: WaitingCallers,
  ) {}

  /**
   * A repeat of a verified PAN gets the stored record, and a repeat of a pending check its state. Another PAN or date of
   * birth starts a separate check; the first verified one counts.
   * @throws the errors that the controller declares, in that order from PanErrors.anotherPanVerified
   */
  async verify(claimant: Claimant, claim: PanQuery): Promise<PanVerification> {
    const begun = await this.counted(() => this.begin(claimant, claim));
    if (begun.outcome === 'under-way') return this.counted(() => this.awaitCheck(claimant.userId, begun.id));
    if (begun.outcome === 'known') {
      this.checks.countOutcome('repeated');
      return begun;
    }
    const identity = await within(waitMs(), this.checks.perform(begun.check));
    if (identity) return { identity };
    this.checks.countOutcome('pending');
    return { pendingId: begun.check.id };
  }

  /**
   * Reads a verification of the user: a running one, its outcome for some days, or that of the user's identity.
   * @throws AppError the refusal of the check; GeneralErrors.recordUnknown for an id that is not the user's
   */
  async read(userId: string, id: string): Promise<PanVerification> {
    if (!isUuid(id)) throw GeneralErrors.recordUnknown();
    const check = await this.repository.findStatus(userId, id);
    if (check && check.state !== 'VERIFIED') return pendingOrRefused(check);
    const identity = await this.identities.findByUserId(userId);
    // released or taken over since, perhaps verified again, or never the user's
    const isOfIdentity = check
      ? identity && identity.verifiedAt.getTime() <= check.settledAt!.getTime() + SAME_MOMENT_MS
      : identity?.verificationId === id.toLowerCase();
    if (!identity || !isOfIdentity) throw GeneralErrors.recordUnknown();
    return { identity };
  }

  private async begin(claimant: Claimant, claim: PanQuery) {
    const begun = await this.repository.begin(claimant, claim, this.checks.leaseSeconds);
    if (begun.outcome === 'withdrawn') throw ConsentErrors.withdrawn();
    if (begun.outcome === 'too-many')
      throw PanErrors.tooManyLookups({ retryAfterSeconds: begun.waitSeconds });
    if (begun.outcome === 'known') {
      const difference = differenceFrom(begun.identity, claim);
      if (difference) throw difference();
    }
    return begun;
  }

  /** Waits for a check that another request or the worker makes, unless enough requests wait already. */
  private async awaitCheck(userId: string, id: string): Promise<PanVerification> {
    const isKnown = ({ identity }: PanVerification): boolean => identity !== undefined;
    const verification = await this.waiting.readUntil(userId, isKnown, () => this.read(userId, id));
    this.checks.countOutcome(verification.identity ? 'repeated' : 'pending');
    return verification;
  }

  /** Counts refusals without a look-up. */
  private async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.checks.countFailure(error instanceof AppError ? error.code : undefined);
      throw error;
    }
  }
}

/** @throws AppError the refusal of a check that has failed */
function pendingOrRefused({ id, refusal }: PanCheckStatus): PanVerification {
  if (refusal !== null) throw errorOf(refusal)();
  return { pendingId: id };
}
