import { Inject, Injectable, Logger } from '@nestjs/common';
import { timeLimit, withDeadline, within } from '@fd/envelope';
import {
  AppError,
  ConsentErrors,
  type ErrorCode,
  type ErrorDefinition,
  errorOf,
  GeneralErrors,
  isError,
  PanErrors,
  ProviderError,
  reasonOf,
} from '@fd/errors';
import { counterFromZero, type KnownCounter, whenCommitted } from '@fd/platform';
import { Registry } from 'prom-client';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { ProvidersConfig } from '../../config/index.js';
import {
  type DurableCall,
  DurableCalls,
  type ProviderAnswer,
  settledWith,
  WaitingCallers,
  waitMs,
} from '../../core/index.js';
import { ConsentsRepository } from '../../identity/index.js';
import { isFree, orUnavailable, type ProviderList } from '../../integrations/index.js';
import { PAN_CHECKS } from '../kyc.calls.js';
import { differenceFrom, IdentitiesRepository, type VerifiedIdentity } from './identities.repository.js';
import {
  type Claimant,
  type NewPanCheck,
  type PanCheck,
  PanChecksRepository,
} from './pan-checks.repository.js';
import {
  callLimitMs,
  type PaidPart,
  PAN_REGISTRIES,
  type PanLookup,
  type PanQuery,
  type PanRegistry,
} from './pan-registry.port.js';

export type PanVerification =
  { readonly identity: VerifiedIdentity } | { readonly identity?: never; readonly pendingId: string };

/**
 * `lost`: the registry's answer is lost, and a repeat would be charged; `isFree`: it does not count for the user. `error`: of the request
 * that asked. `withdrawn`: the user has withdrawn a consent since.
 */
type CheckResult =
  | PanLookup
  | { readonly outcome: 'lost'; readonly isFree?: boolean; readonly error?: Error }
  | { readonly outcome: 'withdrawn' };

type CheckOutcome =
  { readonly identity: VerifiedIdentity } | { readonly identity?: never; readonly refusal: Error };

export const CHECK_REFUSALS = [
  PanErrors.registryUnavailable,
  PanErrors.notFound,
  PanErrors.notValid,
  PanErrors.birthDateDiffers,
  PanErrors.belongsToAnotherUser,
  ConsentErrors.withdrawn,
] as const;

/** Refusals before a check begins. */
export const EARLY_REFUSALS = [PanErrors.anotherPanVerified, PanErrors.tooManyLookups] as const;

/** Every refusal that a verification may count: also of a PAN released meanwhile, and of too many parallel calls. */
const COUNTED_REFUSALS = [
  ...CHECK_REFUSALS,
  ...EARLY_REFUSALS,
  GeneralErrors.recordUnknown,
  GeneralErrors.tooManyRequests,
] as const;

const OUTCOME_WORDS = ['verified', 'repeated', 'pending', 'defect'] as const;

type OutcomeWord = (typeof OUTCOME_WORDS)[number];

const REFUSALS: Readonly<Record<Exclude<CheckResult['outcome'], 'verified'>, ErrorDefinition>> = {
  'not-found': PanErrors.notFound,
  'not-valid': PanErrors.notValid,
  'dob-differs': PanErrors.birthDateDiffers,
  lost: PanErrors.registryUnavailable,
  withdrawn: ConsentErrors.withdrawn,
};

/** Added to the time of a look-up: time to write the result, also after a short outage of PostgreSQL. */
const LEASE_RESERVE_SECONDS = timeLimit(5);

/** Maximum time between an identity and the end of its check, in two transactions. */
const SAME_MOMENT_MS = 10_000;

/**
 * Verifies users by their PAN. One user has one PAN, and one PAN has one user: see PanClaims. A check is a durable call: the process that begins it makes its look-up, even
 * after the answer 202, and the worker takes over if that process dies. The worker continues after a stored paid part, and never repeats a
 * look-up: a lost answer fails the step, and the look-up counts.
 */
@Injectable()
export class PanService implements DurableCall<PanCheck, CheckResult, PanCheck, CheckOutcome> {
  readonly name = 'pan-registry';
  readonly kind = PAN_CHECKS;
  readonly transitions = { DUE: {}, VERIFIED: {}, REFUSED: {} };
  readonly firstPollSeconds = 1;
  readonly leaseSeconds: number;
  private readonly callLimitMs: number;
  private readonly logger = new Logger(PanService.name);
  private readonly verifications: KnownCounter<{
    readonly outcome: OutcomeWord | (typeof COUNTED_REFUSALS)[number]['code'];
  }>;

  // eslint-disable-next-line max-params -- a check joins the claim, the consents and the registry, and is measured
  constructor(
    private readonly dataSource: DataSource,
    private readonly calls: DurableCalls,
    private readonly checks: PanChecksRepository,
    private readonly identities: IdentitiesRepository,
    private readonly consents: ConsentsRepository,
    private readonly waiting: WaitingCallers,
    @Inject(PAN_REGISTRIES) private readonly registries: ProviderList<PanRegistry>,
    config: ProvidersConfig,
    metrics: Registry,
  ) {
    // a paid part renews the lease, for the call after it
    this.callLimitMs = callLimitMs(config);
    this.leaseSeconds = (this.callLimitMs * config.pan.length) / 1_000 + LEASE_RESERVE_SECONDS;
    this.verifications = counterFromZero(metrics, {
      name: 'pan_verifications_total',
      help: 'Verifications of a PAN, by outcome: verified, repeated, pending, or the code of the refusal',
      series: [...OUTCOME_WORDS, ...COUNTED_REFUSALS.map(({ code }) => code)].map((outcome) => ({ outcome })),
    });
  }

  /**
   * A repeat of a verified PAN gets the stored record, and a repeat of a pending check its state. Another PAN or date of
   * birth starts a separate check; the first verified one counts.
   * @throws the errors that the controller declares, in that order from PanErrors.anotherPanVerified
   */
  async verify(claimant: Claimant, claim: PanQuery): Promise<PanVerification> {
    const begun = await this.counted(async () => {
      const found = await this.checks.begin(claimant, claim, this.leaseSeconds);
      if (found.outcome === 'refused') throw found.refusal;
      return found;
    });
    if (begun.outcome === 'under-way') return this.counted(() => this.awaitCheck(claimant.userId, begun.id));
    if (begun.outcome === 'known') {
      this.countOutcome('repeated');
      return begun;
    }
    const identity = await within(waitMs(), this.perform(begun.check));
    if (identity) return { identity };
    this.countOutcome('pending');
    return { pendingId: begun.check.id };
  }

  /**
   * Reads a verification of the user: a running one, its outcome for some days, or that of the user's identity.
   * @throws AppError the refusal of the check; GeneralErrors.recordUnknown for an id that is not the user's
   */
  async read(userId: string, id: string): Promise<PanVerification> {
    if (!isUuid(id)) throw GeneralErrors.recordUnknown();
    const check = await this.checks.findStatus(userId, id);
    if (check && check.state !== 'VERIFIED') {
      if (check.refusal !== null) throw errorOf(check.refusal)();
      return { pendingId: check.id };
    }
    const identity = await this.identities.findByUserId(userId);
    // released or taken over since, perhaps verified again, or never the user's
    const isOfIdentity = check
      ? identity && identity.verifiedAt.getTime() <= check.settledAt!.getTime() + SAME_MOMENT_MS
      : identity?.verificationId === id.toLowerCase();
    if (!identity || !isOfIdentity) throw GeneralErrors.recordUnknown();
    return { identity };
  }

  async find(id: string): Promise<PanCheck> {
    return this.checks.findById(id);
  }

  /** Makes the look-up of a new check; continues, for the worker, one whose process died. */
  async ask(check: PanCheck): Promise<ProviderAnswer<CheckResult> | undefined> {
    const { id, userId, claim, paid } = check;
    if (!claim) return undefined;
    if (check.isNew) return settledWith(await this.lookUp(check, claim));
    if (!(await this.consents.cover(userId, 'PAN_VERIFICATION')))
      return settledWith({ outcome: 'withdrawn' });
    return settledWith(await this.continued(id, claim, paid));
  }

  /** What ends a check looks at its state, so a new one, which only this process has, is not locked. */
  async lock(tx: EntityManager, check: PanCheck): Promise<PanCheck> {
    return check.isNew ? check : this.checks.lockById(tx, check.id);
  }

  async settle(tx: EntityManager, check: PanCheck, result: CheckResult): Promise<CheckOutcome> {
    const outcome = await this.outcomeOf(tx, check, result);
    if (!outcome.identity) {
      const isUncounted = result.outcome === 'lost' && result.isFree === true;
      const code = outcome.refusal instanceof AppError ? outcome.refusal.code : undefined;
      await this.checks.end(tx, check.id, code ?? PanErrors.registryUnavailable.code, isUncounted);
      whenCommitted(tx, () => this.countFailure(code));
    } else whenCommitted(tx, () => this.countOutcome('verified'));
    return outcome;
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    this.logger.error({ msg: 'a PAN check was given up', verification_id: id });
    const { code } = PanErrors.registryUnavailable;
    if (await this.checks.end(tx, id, code)) whenCommitted(tx, () => this.countFailure(code));
  }

  /** Waits for a check that another request or the worker makes, unless enough requests wait already. */
  private async awaitCheck(userId: string, id: string): Promise<PanVerification> {
    const isKnown = ({ identity }: PanVerification): boolean => identity !== undefined;
    const verification = await this.waiting.readUntil(userId, isKnown, () => this.read(userId, id));
    this.countOutcome(verification.identity ? 'repeated' : 'pending');
    return verification;
  }

  /** Makes the look-up, which may outlast the request. @throws AppError the recorded refusal */
  private perform(check: NewPanCheck): Promise<VerifiedIdentity> {
    const performed = this.calls.untilDone(this.makeLookup(check));
    performed.catch((error: unknown) => {
      // a refusal is the answer of the request, or of the next poll
      if (!(error instanceof AppError))
        this.logger.error({ msg: 'a PAN check failed', verification_id: check.id, reason: reasonOf(error) });
    });
    return performed;
  }

  private async makeLookup(check: NewPanCheck): Promise<VerifiedIdentity> {
    const outcome = await this.calls.start(this, check).catch(async (error: unknown) => {
      await this.endUnkept(check);
      throw error;
    });
    if (!outcome?.identity) throw outcome?.refusal ?? PanErrors.registryUnavailable();
    return outcome.identity;
  }

  /** A look-up that was possibly charged goes to no other provider. */
  private async lookUp({ id }: PanCheck, claim: PanQuery): Promise<CheckResult> {
    const at = (registry: PanRegistry): Promise<PanLookup> => {
      const { name: provider } = registry;
      const keep = (answer: unknown): Promise<void> => this.keepPaid({ id, claim }, { provider, answer });
      return withDeadline(() => registry.lookUp(claim, id, keep), this.callLimitMs);
    };
    try {
      return await orUnavailable('pan-registry', () => this.registries.begin(null, at));
    } catch (error) {
      if (!isError(error)) throw error;
      return { outcome: 'lost', isFree: isFree(error), error };
    }
  }

  /** Makes the calls after the paid part of a look-up, once: a failure may mean that they were made before. */
  private async continued(id: string, claim: PanQuery, paid: PaidPart | undefined): Promise<CheckResult> {
    // the settings may name its provider no longer
    const registry = this.registries.inOrder.find(({ name }) => name === paid?.provider);
    if (!paid || !registry?.resume) return { outcome: 'lost' };
    try {
      return await withDeadline(() => registry.resume!(claim, id, paid.answer), this.callLimitMs);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return { outcome: 'lost', isFree: error.isFree };
    }
  }

  /** Stores a paid part. The look-up continues if that fails, because only the successor of a dead process needs it. */
  private async keepPaid(check: Pick<NewPanCheck, 'id' | 'claim'>, paid: PaidPart): Promise<void> {
    try {
      await this.checks.keepPaid(check, paid, this.leaseSeconds);
    } catch (error) {
      this.logger.warn({
        msg: 'a paid part was not kept',
        verification_id: check.id,
        reason: reasonOf(error),
      });
    }
  }

  private async outcomeOf(
    tx: EntityManager,
    { id, userId, claim }: PanCheck,
    result: CheckResult,
  ): Promise<CheckOutcome> {
    if (result.outcome === 'lost' && result.error !== undefined) return { refusal: result.error };
    if (result.outcome !== 'verified') return { refusal: REFUSALS[result.outcome]() };
    const verified = {
      ...result.names,
      ...claim!,
      verificationId: id,
      panStatus: 'VALID',
      isBirthDateCompared: result.isBirthDateCompared,
      aadhaarSeedingStatus: result.aadhaarSeedingStatus,
    } as const;
    const identity = await this.identities.keep(tx, userId, verified);
    if (!identity) {
      await this.identities.contest(tx, userId, verified);
      return { refusal: PanErrors.belongsToAnotherUser() };
    }
    const refusal = differenceFrom(identity, claim!);
    if (refusal) return { refusal: refusal() };
    // another check of the user finished first
    if (identity.verificationId !== id) await this.checks.end(tx, id, null);
    return { identity };
  }

  /** Ends a check whose outcome could not be written. A failure to end it must not replace the cause: the worker ends it later. */
  private async endUnkept({ id }: PanCheck): Promise<void> {
    const { code } = PanErrors.registryUnavailable;
    try {
      if (await this.dataSource.transaction((tx) => this.checks.end(tx, id, code)))
        this.countFailure(undefined);
    } catch (cause) {
      this.logger.warn({ msg: 'a failed step was not recorded', reason: reasonOf(cause) });
    }
  }

  /** Counts refusals without a look-up. */
  private async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.countFailure(error instanceof AppError ? error.code : undefined);
      throw error;
    }
  }

  private countOutcome(outcome: OutcomeWord): void {
    this.verifications.inc({ outcome });
  }

  /** @param refusal code of the refusal; undefined for any other error */
  private countFailure(refusal: ErrorCode | undefined): void {
    const known = COUNTED_REFUSALS.find(({ code }) => code === refusal);
    this.verifications.inc({ outcome: known?.code ?? 'defect' });
  }
}
