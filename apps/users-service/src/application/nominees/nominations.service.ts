import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { canonicalHash, indiaDateOf, type NomineeWarning, type UpdateNomineeRequest } from '@fd/contracts';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Issuer } from '../../config/index.js';
import { AuditTrail, recordId } from '../../core/index.js';
import { MailNotices, UsersRepository } from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository, type PanIdentity } from '../../kyc/index.js';
import { UserChanges } from '../user-changes.js';
import { place } from './nomination.js';
import { type GivenNomination, type GivenNominee, readNominee } from './nominee-input.js';
import { type Nominee, nomineeWarnings } from './nominee.js';
import { NomineesRepository } from './nominees.repository.js';

export interface Nomination {
  readonly nominees: readonly Nominee[];
  readonly isSkipped: boolean;
  readonly warnings: NomineeWarning[];
}

@Injectable()
export class NominationsService {
  // eslint-disable-next-line max-params -- a change of nominees is compared with the applicant, recorded and published
  constructor(
    private readonly nominees: NomineesRepository,
    private readonly identities: IdentitiesRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly changes: UserChanges,
    private readonly users: UsersRepository,
    private readonly notices: MailNotices,
    private readonly clock: Clock,
  ) {}

  /** The date in India, YYYY-MM-DD. */
  get today(): string {
    return indiaDateOf(this.clock.now());
  }

  /**
   * Adds one or more nominees, or records the declaration to name none.
   * @throws NomineeErrors.sharesExceeded; NomineeErrors.required for a skip that the issuer does not allow;
   * GeneralErrors.fieldInvalid for a skip without the declaration or beside existing nominees
   */
  async nominate(userId: string, given: GivenNomination, issuer: Issuer | undefined): Promise<Nomination> {
    return given.isSkipped ? this.skip(userId, given, issuer) : this.add(userId, given.nominees);
  }

  /**
   * @throws GeneralErrors.recordUnknown for a nominee that is not the user's; otherwise as `nominate`
   */
  async change(userId: string, id: string, request: UpdateNomineeRequest): Promise<Nomination> {
    const identity = await this.identities.findByUserId(userId);
    const changed = await this.changes.transaction(userId, async (tx) => {
      const all = await this.nominees.listOf(tx, userId);
      const before = all.find((nominee) => nominee.id === id.toLowerCase());
      if (!before) throw GeneralErrors.recordUnknown();
      const { person, placement } = readNominee(request, { path: '', today: this.today }, before);
      const others = all.filter((nominee) => nominee !== before);
      const nominee = { id: before.id, person, ...place([placement], others)[0]! };
      await this.nominees.change(tx, userId, nominee);
      await this.audit.record(tx, { action: 'NOMINEE_CHANGED', subject: userId, object: before.id });
      // forms send what they show
      if (!isDeepStrictEqual(nominee, before)) await this.publishChange(tx, userId);
      return nominee;
    });
    return this.nominationOf([changed], identity);
  }

  /**
   * @returns the number of remaining nominees
   * @throws GeneralErrors.recordUnknown for a nominee that is not the user's; GeneralErrors.tooManyRequests for the
   * last one, after too many changes today
   */
  async remove(userId: string, id: string): Promise<number> {
    return this.changes.transaction(userId, async (tx) => {
      const isRemoved = isUuid(id) && (await this.nominees.remove(tx, userId, id));
      if (!isRemoved) throw GeneralErrors.recordUnknown();
      await this.audit.record(tx, { action: 'NOMINEE_REMOVED', subject: userId, object: id });
      await this.publishChange(tx, userId);
      const left = await this.nominees.countOf(tx, userId);
      if (left === 0) {
        const change = { userId, step: 'NOMINEE', event: 'RESET', isLimited: true } as const;
        await this.journey.record(tx, change);
      }
      return left;
    });
  }

  async list(userId: string): Promise<Omit<Nomination, 'warnings'>> {
    const nominees = await this.nominees.findByUserId(userId);
    return { nominees, isSkipped: await this.nominees.isWaived(userId) };
  }

  private async add(userId: string, given: readonly GivenNominee[]): Promise<Nomination> {
    const identity = await this.identities.findByUserId(userId);
    const added = await this.changes.transaction(userId, async (tx) => {
      const others = await this.nominees.listOf(tx, userId);
      // another call may have had its key, days ago
      const content = canonicalHash(given);
      const ids = given.map((_, index) => recordId(`nominee ${index} ${content}`));
      // an earlier attempt of this call stored the nominees and died before its answer
      const before = others.filter(({ id }) => ids.includes(id));
      if (before.length > 0) return before;
      const requested = given.map(({ placement }) => placement);
      const nominees = place(requested, others).map((placement, index) => ({
        ...placement,
        id: ids[index]!,
        person: given[index]!.person,
      }));
      await this.nominees.add(tx, userId, nominees);
      const wasWaived = await this.nominees.endWaiver(tx, userId);
      if (others.length > 0 || wasWaived) await this.publishChange(tx, userId);
      // all were removed before; partners learn of it by the step
      else if (await this.journey.hadDone(tx, userId, 'NOMINEE')) await this.mailChange(tx, userId);
      await this.journey.record(tx, { userId, step: 'NOMINEE', event: 'COMPLETED' });
      return nominees;
    });
    return this.nominationOf(added, identity);
  }

  private async skip(
    userId: string,
    { isDeclarationAccepted }: GivenNomination,
    issuer: Issuer | undefined,
  ): Promise<Nomination> {
    if (issuer?.nominee_required) throw NomineeErrors.required();
    if (!isDeclarationAccepted) {
      throw GeneralErrors.fieldInvalid({ field: 'declaration_accepted' });
    }
    await this.changes.transaction(userId, async (tx) => {
      // a declaration to name no nominee would contradict existing nominees, which must be removed first
      if ((await this.nominees.countOf(tx, userId)) > 0) {
        throw GeneralErrors.fieldInvalid({ field: 'skip_nominee' });
      }
      await this.nominees.waive(tx, userId, issuer?.slug);
      await this.journey.record(tx, { userId, step: 'NOMINEE', event: 'SKIPPED' });
    });
    return { nominees: [], isSkipped: true, warnings: [] };
  }

  /** Someone else may have made the change. A first nomination is not one. */
  private async publishChange(tx: EntityManager, userId: string): Promise<void> {
    await this.journey.publish(tx, { type: 'nominee.changed', userId, step: 'NOMINEE' });
    await this.mailChange(tx, userId);
  }

  private async mailChange(tx: EntityManager, userId: string): Promise<void> {
    const address = await this.users.lockEmail(tx, userId);
    if (address !== null) await this.notices.add(tx, userId, 'NOMINEES_CHANGED', address);
  }

  private nominationOf(nominees: readonly Nominee[], identity: PanIdentity | undefined): Nomination {
    return { nominees, isSkipped: false, warnings: nomineeWarnings(nominees, identity, this.today) };
  }
}
