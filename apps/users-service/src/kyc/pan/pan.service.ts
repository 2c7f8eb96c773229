import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { consentRefusal } from '@fd/contracts';
import { Clock } from '@fd/platform';
import { AppError, type ErrorDefinition, PanErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ConsentsRepository } from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { orUnavailable } from '../../integrations/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { VerifiedIdentity } from './identity.js';
import { PanLookupsRepository } from './pan-lookups.repository.js';
import { PAN_REGISTRY, type PanLookup, type PanQuery, type PanRegistry } from './pan-registry.port.js';
import { isBorn } from './pan.policy.js';

export interface PanClaim extends PanQuery {
  /** What the client sent as the person's consent. */
  readonly consent: unknown;
}

/** Whose claim it is, and from where it came. */
export interface Claimant extends SessionIdentity {
  readonly ip: string;
}

const REFUSALS: Readonly<Record<Exclude<PanLookup['outcome'], 'verified'>, ErrorDefinition>> = {
  'not-found': PanErrors.notFound,
  'not-valid': PanErrors.notValid,
  'dob-differs': PanErrors.birthDateDiffers,
};

/** Verifies who a user is by their PAN. One user has one PAN, and one PAN has one user, for good. */
@Injectable()
export class PanService {
  private readonly logger = new Logger(PanService.name);
  private readonly underWay = new Map<string, Promise<VerifiedIdentity>>();
  private readonly verifications: Counter<'outcome'>;

  // eight: a verification writes two tables, a consent and a step in one transaction, and asks the registry in between
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly lookups: PanLookupsRepository,
    @Inject(PAN_REGISTRY) private readonly registry: PanRegistry,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly clock: Clock,
    @InjectDataSource() private readonly dataSource: DataSource,
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
   * @throws PanErrors.birthDateInFuture; ConsentErrors.missing, ConsentErrors.refused, ConsentErrors.notBoolean;
   * PanErrors.anotherPanVerified, PanErrors.birthDateDiffers against our record; PanErrors.tooManyLookups;
   * PanErrors.registryUnavailable, PanErrors.notFound, PanErrors.notValid, PanErrors.birthDateDiffers of the
   * registry; PanErrors.belongsToAnotherUser; in this order of checks
   */
  async verify(claimant: Claimant, claim: PanClaim): Promise<VerifiedIdentity> {
    try {
      if (!isBorn(claim.dateOfBirth, this.clock.now())) throw PanErrors.birthDateInFuture({ field: 'dob' });
      const refusal = consentRefusal(claim.consent);
      if (refusal) throw refusal({ field: 'consent_checked' });
      const known = await this.identities.verified(claimant.userId);
      const identity = known
        ? await this.repeat(claimant, claim, known)
        : await this.lookUpTogether(claimant, claim);
      this.verifications.inc({ outcome: known ? 'repeated' : 'verified' });
      return identity;
    } catch (error) {
      const code = error instanceof AppError ? error.code : undefined;
      this.verifications.inc({ outcome: code ?? 'defect' });
      throw error;
    }
  }

  private async repeat(
    claimant: Claimant,
    claim: PanClaim,
    known: VerifiedIdentity,
  ): Promise<VerifiedIdentity> {
    const identity = confirmed(known, claim);
    await this.consents.record({ ...claimant, purpose: 'PAN_VERIFICATION' });
    return identity;
  }

  /** A person who presses the button twice pays for one look-up; what another replica does meanwhile is its own. */
  private async lookUpTogether(claimant: Claimant, claim: PanClaim): Promise<VerifiedIdentity> {
    const key = [claimant.sessionId, claim.pan, claim.dateOfBirth].join();
    const running = this.underWay.get(key);
    if (running) return running;
    const started = this.lookUp(claimant, claim).finally(() => this.underWay.delete(key));
    this.underWay.set(key, started);
    return started;
  }

  private async lookUp(claimant: Claimant, claim: PanClaim): Promise<VerifiedIdentity> {
    const lookupId = await this.begin(claimant);
    try {
      const lookup = await this.ask(claimant.userId, claim, lookupId);
      if (lookup.outcome !== 'verified') throw REFUSALS[lookup.outcome]();
      return await this.keep(claimant.userId, claim, lookup);
    } catch (error) {
      await this.noteFailure(claimant.userId, error);
      throw error;
    }
  }

  /** Writes down what is about to be done, and that the person allows it, before anything leaves the house. */
  private async begin(claimant: Claimant): Promise<string> {
    const { userId } = claimant;
    return this.dataSource.transaction(async (manager) => {
      const permit = await this.lookups.take(manager, userId);
      if (!permit.isGranted) {
        throw PanErrors.tooManyLookups({ retryAfterSeconds: permit.retryAfterSeconds });
      }
      const step = { step: 'PAN', event: 'STARTED', object: permit.lookupId } as const;
      await this.consents.record({ ...claimant, purpose: 'PAN_VERIFICATION', step }, manager);
      return permit.lookupId;
    });
  }

  private async ask(userId: string, { pan, dateOfBirth }: PanQuery, lookupId: string): Promise<PanLookup> {
    try {
      return await orUnavailable('pan-registry', () => this.registry.lookUp({ pan, dateOfBirth }));
    } catch (error) {
      await this.orWarn('a look-up was not given back', this.lookups.giveBack(userId, lookupId));
      throw error;
    }
  }

  private async keep(
    userId: string,
    claim: PanQuery,
    { names, aadhaarSeedingStatus }: Extract<PanLookup, { outcome: 'verified' }>,
  ): Promise<VerifiedIdentity> {
    return this.dataSource.transaction(async (manager) => {
      const verificationId = uuidv7();
      const isKept = await this.identities.claim(manager, userId, {
        ...names,
        pan: claim.pan,
        dateOfBirth: claim.dateOfBirth,
        verificationId,
        panStatus: 'VALID',
        aadhaarSeedingStatus,
      });
      if (isKept) {
        const change = { userId, step: 'PAN', event: 'COMPLETED', object: verificationId } as const;
        await this.journey.record(change, manager);
      }
      // without one of their own, it is another user who has this PAN
      const kept = await this.identities.verified(userId, manager);
      if (!kept) throw PanErrors.belongsToAnotherUser();
      return confirmed(kept, claim);
    });
  }

  private async noteFailure(userId: string, error: unknown): Promise<void> {
    const reason = error instanceof AppError ? error.code : undefined;
    if (!reason) return;
    const noted = this.journey.record({ userId, step: 'PAN', event: 'FAILED', reason });
    await this.orWarn('a failed step was not noted', noted);
  }

  /** What tidies up after a refusal must not take the refusal's place. */
  private async orWarn(msg: string, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.logger.warn({ msg, reason: (error as Error).message }));
  }
}

/**
 * @throws PanErrors.anotherPanVerified when it is another PAN, PanErrors.birthDateDiffers another date of birth than
 * what was verified
 */
function confirmed(known: VerifiedIdentity, claim: PanQuery): VerifiedIdentity {
  if (known.pan !== claim.pan) throw PanErrors.anotherPanVerified();
  if (known.dateOfBirth !== claim.dateOfBirth) throw PanErrors.birthDateDiffers();
  return known;
}
