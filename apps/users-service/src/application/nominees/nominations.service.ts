import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type CreateNomineesRequest,
  indiaDateOf,
  MAX_NOMINEES,
  type NomineeWarning,
  type UpdateNomineeRequest,
} from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { AuditTrail, recordId } from '../../core/index.js';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer, JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository, type PanIdentity } from '../../kyc/index.js';
import { isApplicant } from './applicant.js';
import { place } from './nomination.js';
import { NO_NOMINEE_DECLARATION } from './nominee-declaration.table.js';
import { type GivenNominee, readNominee } from './nominee-input.js';
import { NomineeWaiversRepository } from './nominee-waivers.repository.js';
import type { Nominee } from './nominee.js';
import { NomineesRepository } from './nominees.repository.js';

export interface Nomination {
  readonly nominees: readonly Nominee[];
  readonly isSkipped: boolean;
  readonly warnings: NomineeWarning[];
}

/** What a commit may take at the most in the time that is left for an answer. */
const COMMIT_RESERVE_MS = 200;

/** Naming nominees, changing and removing them, and declaring to name none. */
@Injectable()
export class NominationsService {
  // eight: nominees and waivers change in one transaction with their step and audit event
  constructor(
    private readonly nominees: NomineesRepository,
    private readonly waivers: NomineeWaiversRepository,
    private readonly identities: IdentitiesRepository,
    private readonly journey: JourneyRepository,
    private readonly audit: AuditTrail,
    private readonly currentIssuer: CurrentIssuer,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The date in India, YYYY-MM-DD. */
  get today(): string {
    return indiaDateOf(this.clock.now());
  }

  /**
   * Adds one nominee, or several at once, or records that there shall be none.
   * @throws IssuerErrors.unknown issuer; NomineeErrors.nameInvalid to NomineeErrors.sharesExceeded and
   * GeneralErrors.fieldInvalid for what was given; NomineeErrors.required for a skip that the issuer does not allow
   */
  async nominate(
    userId: string,
    request: CreateNomineesRequest,
    issuerCode: string | undefined,
  ): Promise<Nomination> {
    const issuer = await this.currentIssuer.ofCode(userId, issuerCode);
    if (request.skip_nominee === true) return this.skip(userId, request, issuer);
    return this.add(userId, this.read(request));
  }

  /**
   * Changes a nominee.
   * @throws GeneralErrors.recordUnknown for a nominee that is not the user's; otherwise as `nominate`
   */
  async change(userId: string, id: string, request: UpdateNomineeRequest): Promise<Nomination> {
    const identity = await this.identities.findByUserId(userId);
    const changed = await this.alone(userId, async (manager) => {
      const all = await this.nominees.list(userId, manager);
      const before = all.find((nominee) => nominee.id === id.toLowerCase());
      if (!before) throw GeneralErrors.recordUnknown();
      const { person, placement } = readNominee(request, { path: '', today: this.today }, before);
      const others = all.filter((nominee) => nominee !== before);
      const nominee = { id: before.id, person, ...place([placement], others)[0]! };
      await this.nominees.change(manager, userId, nominee);
      await this.audit.record(manager, { action: 'NOMINEE_CHANGED', subject: userId, object: before.id });
      return nominee;
    });
    return nominationOf([changed], identity);
  }

  /**
   * @returns how many nominees are left
   * @throws GeneralErrors.recordUnknown for a nominee that is not the user's
   */
  async remove(userId: string, id: string): Promise<number> {
    return this.alone(userId, async (manager) => {
      const isRemoved = isUuid(id) && (await this.nominees.remove(manager, userId, id));
      if (!isRemoved) throw GeneralErrors.recordUnknown();
      await this.audit.record(manager, { action: 'NOMINEE_REMOVED', subject: userId, object: id });
      const left = await this.nominees.count(userId, manager);
      if (left === 0) await this.journey.record({ userId, step: 'NOMINEE', event: 'RESET' }, manager);
      return left;
    });
  }

  async list(userId: string): Promise<Omit<Nomination, 'warnings'>> {
    return { nominees: await this.nominees.list(userId), isSkipped: await this.waivers.isDeclared(userId) };
  }

  private read(request: CreateNomineesRequest): GivenNominee[] {
    const { nominees } = request;
    const today = this.today;
    if (!nominees) return [readNominee(request, { path: '', today })];
    if (nominees.length > MAX_NOMINEES) throw NomineeErrors.tooMany();
    return nominees.map((input, index) => {
      const field = `nominees.${index}`;
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        throw GeneralErrors.fieldInvalid({ field });
      }
      return readNominee(input, { path: `${field}.`, today });
    });
  }

  private async add(userId: string, given: readonly GivenNominee[]): Promise<Nomination> {
    const identity = await this.identities.findByUserId(userId);
    const added = await this.alone(userId, async (manager) => {
      const others = await this.nominees.list(userId, manager);
      const ids = given.map((_, index) => recordId(`nominee ${index}`));
      // this very call was made before, and died before it could answer
      const before = others.filter(({ id }) => ids.includes(id));
      if (before.length > 0) return before;
      const placements = place(
        given.map(({ placement }) => placement),
        others,
      );
      const nominees = given.map(({ person }, index) => ({
        id: ids[index]!,
        person,
        ...placements[index]!,
      }));
      for (const nominee of nominees) await this.nominees.add(manager, userId, nominee);
      await this.waivers.end(manager, userId);
      await this.journey.record({ userId, step: 'NOMINEE', event: 'COMPLETED' }, manager);
      return nominees;
    });
    return nominationOf(added, identity);
  }

  private async skip(
    userId: string,
    request: CreateNomineesRequest,
    issuer: Issuer | undefined,
  ): Promise<Nomination> {
    if (issuer?.nominee_required) throw NomineeErrors.required();
    if (request.declaration_accepted !== true) {
      throw GeneralErrors.fieldInvalid({ field: 'declaration_accepted' });
    }
    await this.alone(userId, async (manager) => {
      // who has nominees removes them: a declaration beside them would say the opposite of what they do
      if ((await this.nominees.count(userId, manager)) > 0) {
        throw GeneralErrors.fieldInvalid({ field: 'skip_nominee' });
      }
      await this.waivers.declare(manager, {
        userId,
        issuer: issuer?.slug,
        version: NO_NOMINEE_DECLARATION.version,
      });
      await this.journey.record({ userId, step: 'NOMINEE', event: 'SKIPPED' }, manager);
    });
    return { nominees: [], isSkipped: true, warnings: [] };
  }

  /** Changes nominees while nobody else changes those of the same user. */
  private async alone<T>(userId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (manager) => {
      await this.nominees.lock(manager, userId);
      const result = await work(manager);
      // who would be told that it was not done must not find it done: a repeat would add the same nominee again
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      return result;
    });
  }
}

function nominationOf(nominees: readonly Nominee[], identity: PanIdentity | undefined): Nomination {
  const isNamedAlike = nominees.some(({ person }) => identity && isApplicant(person.name, identity));
  return { nominees, isSkipped: false, warnings: isNamedAlike ? [NomineeErrors.isApplicant.code] : [] };
}
