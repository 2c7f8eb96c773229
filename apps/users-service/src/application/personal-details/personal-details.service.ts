import { Injectable } from '@nestjs/common';
import { AppError } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import type { Issuer } from '../../config/index.js';
import { AuditTrail } from '../../core/index.js';
import { IssuerDirectory, JourneyRepository } from '../../journey/index.js';
import { UserChanges } from '../user-changes.js';
import { acceptancesIn, type Candidate, type Details, merged, type SentDetails } from './details.js';
import { DetailsValidator } from './details-validator.js';
import { PersonalDetailsRepository, type SavedDetails } from './personal-details.repository.js';

/** Stored details, and the fields that an issuer still requires. */
export interface DetailsOverview extends SavedDetails {
  readonly issuer: Issuer | undefined;
  /** Names of fields, as in refusals. */
  readonly missing: string[];
}

/** Personal details, which a user gives once for all issuers. */
@Injectable()
export class PersonalDetailsService {
  // eslint-disable-next-line max-params -- a change is validated, recorded, and completes the step at each issuer
  constructor(
    private readonly dataSource: DataSource,
    private readonly records: PersonalDetailsRepository,
    private readonly validator: DetailsValidator,
    private readonly issuers: IssuerDirectory,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly changes: UserChanges,
  ) {}

  async show(userId: string, issuer: Issuer | undefined): Promise<DetailsOverview> {
    return this.overview(issuer, await this.records.findByUserId(userId));
  }

  /** Reopens the done step at an issuer that requires more than was saved: another field, or a new version of a declaration. */
  async reopenIncomplete(userId: string, issuer: Issuer): Promise<void> {
    const { PERSONAL_DETAILS: step } = await this.journey.statesOf(userId, issuer.slug);
    if (step?.state !== 'DONE' || (await this.show(userId, issuer)).missing.length === 0) return;
    const reset = { userId, step: 'PERSONAL_DETAILS', event: 'RESET', issuer: issuer.slug } as const;
    await this.dataSource.transaction(async (tx) => {
      // details that are saved meanwhile complete the step after this lock, or are read here
      await this.journey.lock(tx, userId, reset.step, [issuer.slug]);
      const { missing } = this.overview(issuer, await this.records.savedOf(tx, userId));
      if (missing.length > 0) await this.journey.record(tx, { ...reset, onlyFrom: ['DONE'] });
    });
  }

  /**
   * Saves the sent values if they and the stored ones together meet the issuer's requirements; otherwise saves nothing.
   * @throws PersonalDetailsErrors.missing to PersonalDetailsErrors.declarationMissing for each invalid field, in the
   * order of the fields
   */
  async save(userId: string, issuer: Issuer | undefined, sent: SentDetails): Promise<DetailsOverview> {
    return this.changes.transaction(userId, async (tx) => {
      const { details, acceptances } = await this.records.savedOf(tx, userId);
      const candidate = merged(details, acceptances, sent);
      this.check(issuer, candidate);
      await this.records.save(tx, userId, candidate.details as Details);
      await this.records.accept(tx, userId, acceptancesIn(candidate.declarations));
      await this.complete(tx, userId, candidate);
      const event = { action: 'PERSONAL_DETAILS_SAVED', subject: userId, issuer: issuer?.slug } as const;
      await this.audit.record(tx, event);
      return this.overview(issuer, await this.records.savedOf(tx, userId));
    });
  }

  private check(issuer: Issuer | undefined, candidate: Candidate): void {
    const failures = this.validator.failuresOf(issuer, candidate);
    if (failures.length > 0) throw new AppError(failures);
  }

  /** Completes the step with every issuer whose fields are all known. */
  private async complete(tx: EntityManager, userId: string, candidate: Candidate): Promise<void> {
    for (const issuer of this.issuers.all) {
      if (!issuer.steps.includes('PERSONAL_DETAILS')) continue;
      if (this.validator.failuresOf(issuer, candidate).length > 0) continue;
      const change = { userId, step: 'PERSONAL_DETAILS', event: 'COMPLETED', issuer: issuer.slug } as const;
      await this.journey.record(tx, change);
    }
  }

  private overview(issuer: Issuer | undefined, saved: SavedDetails): DetailsOverview {
    const failures = this.validator.failuresOf(issuer, merged(saved.details, saved.acceptances, {}));
    return { ...saved, issuer, missing: failures.map(({ field }) => field) };
  }
}
