import { Inject, Injectable, Logger } from '@nestjs/common';
import { consentRefusal, indiaDateOf } from '@fd/contracts';
import { Clock } from '@fd/platform';
import { AppError, type ErrorDefinition, PanErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import { v7 as uuidv7 } from 'uuid';
import { ConsentsRepository } from '../../identity/index.js';
import { isWithoutEffect, orUnavailable } from '../../integrations/index.js';
import { orGiveBack } from '../counted-calls.repository.js';
import { type Claimant, IdentitiesRepository } from './identities.repository.js';
import { PanClaims } from './pan-claims.repository.js';
import { PAN_REGISTRY, type PanLookup, type PanQuery, type PanRegistry } from './pan-registry.port.js';
import type { VerifiedIdentity } from './sealed-identity.js';

/** What a client claims of a person, with what it sent as the person's consent. */
export type PanClaim = PanQuery & { readonly consent: unknown };

interface Verification {
  readonly identity: VerifiedIdentity;
  readonly outcome: 'verified' | 'repeated';
}

const REFUSALS: Readonly<Record<Exclude<PanLookup['outcome'], 'verified'>, ErrorDefinition>> = {
  'not-found': PanErrors.notFound,
  'not-valid': PanErrors.notValid,
  'dob-differs': PanErrors.birthDateDiffers,
};

/** Verifies who a user is by their PAN. One user has one PAN, and one PAN has one user: see PanClaims. */
@Injectable()
export class PanService {
  private readonly logger = new Logger(PanService.name);
  private readonly underWay = new Map<string, Promise<Verification>>();
  private readonly verifications: Counter<'outcome'>;

  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly claims: PanClaims,
    @Inject(PAN_REGISTRY) private readonly registry: PanRegistry,
    private readonly consents: ConsentsRepository,
    private readonly clock: Clock,
    metrics: Registry,
  ) {
    this.verifications = new Counter({
      name: 'pan_verifications_total',
      help: 'Verifications of a PAN, by outcome: verified, repeated, or the code of the refusal',
      labelNames: ['outcome'],
      registers: [metrics],
    });
  }

  /**
   * A repeat of what was verified before is answered from our own record.
   * @throws what the controller declares, checked in that order from PanErrors.birthDateInFuture on
   */
  async verify(claimant: Claimant, claim: PanClaim): Promise<VerifiedIdentity> {
    try {
      if (!isBorn(claim.dateOfBirth, this.clock.now())) throw PanErrors.birthDateInFuture({ field: 'dob' });
      const refusal = consentRefusal(claim.consent);
      if (refusal) throw refusal({ field: 'consent_checked' });
      const { identity, outcome } = await this.lookUpTogether(claimant, claim);
      this.verifications.inc({ outcome });
      return identity;
    } catch (error) {
      this.verifications.inc({ outcome: (error instanceof AppError && error.code) || 'defect' });
      throw error;
    }
  }

  /** A person who presses the button twice pays for one look-up on each replica. */
  private async lookUpTogether(claimant: Claimant, claim: PanClaim): Promise<Verification> {
    const key = [claimant.sessionId, claim.pan, claim.dateOfBirth].join();
    const lookUp = () => this.lookUp(claimant, claim).finally(() => this.underWay.delete(key));
    const running = this.underWay.get(key) ?? lookUp();
    this.underWay.set(key, running);
    return running;
  }

  private async lookUp(claimant: Claimant, { pan, dateOfBirth }: PanQuery): Promise<Verification> {
    const { userId } = claimant;
    const claim = { pan, dateOfBirth };
    const begun = await this.identities.beginLookup(claimant);
    if (begun.outcome === 'too-many')
      throw PanErrors.tooManyLookups({ retryAfterSeconds: begun.waitSeconds });
    if (begun.outcome === 'known') {
      const identity = confirmed(begun.identity, claim);
      await this.consents.record({ ...claimant, purpose: 'PAN_VERIFICATION' });
      return { identity, outcome: 'repeated' };
    }
    const identity = await this.orFailed(userId, async () => {
      const lookup = await orGiveBack(
        () => orUnavailable('pan-registry', () => this.registry.lookUp(claim)),
        isWithoutEffect,
        () => this.identities.uncountLookup(userId, begun.id),
      );
      return this.complete(userId, claim, lookup);
    });
    return { identity, outcome: 'verified' };
  }

  private async complete(userId: string, claim: PanQuery, lookup: PanLookup): Promise<VerifiedIdentity> {
    if (lookup.outcome !== 'verified') throw REFUSALS[lookup.outcome]();
    const verified = {
      ...lookup.names,
      ...claim,
      verificationId: uuidv7(),
      panStatus: 'VALID',
      aadhaarSeedingStatus: lookup.aadhaarSeedingStatus,
    } as const;
    const kept = await this.identities.keep(userId, verified);
    if (kept) return confirmed(kept, claim);
    await this.claims.contest(userId, verified);
    throw PanErrors.belongsToAnotherUser();
  }

  /** Records a refusal as the failure of the step. That it cannot be recorded must not take the refusal's place. */
  private async orFailed<T>(userId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.code) {
        await this.identities.recordFailure(userId, error.code).catch((cause: unknown) => {
          this.logger.warn({ msg: 'a failed step was not noted', reason: (cause as Error).message });
        });
      }
      throw error;
    }
  }
}

/** Whether a date of birth (YYYY-MM-DD) has come in India, where the holders live. */
export function isBorn(dateOfBirth: string, now: Date): boolean {
  return dateOfBirth <= indiaDateOf(now);
}

/** @throws PanErrors.anotherPanVerified, PanErrors.birthDateDiffers */
function confirmed(known: VerifiedIdentity, claim: PanQuery): VerifiedIdentity {
  if (known.pan !== claim.pan) throw PanErrors.anotherPanVerified();
  if (known.dateOfBirth !== claim.dateOfBirth) throw PanErrors.birthDateDiffers();
  return known;
}
