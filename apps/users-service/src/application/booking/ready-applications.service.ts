import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { reasonOf } from '@fd/errors';
import { type EntityManager, type FindOptionsWhere, In, IsNull, Not, Raw, type Repository } from 'typeorm';
import type { Issuer } from '../../config/index.js';
import { actingAs, Jobs } from '../../core/index.js';
import { EventLog, type EventType, type NumberedEvent, PartnerEvents } from '../../events/index.js';
import { type ConsentPurpose, UsersRepository } from '../../identity/index.js';
import { IssuerDirectory, JourneyRepository } from '../../journey/index.js';
import { ApplicationReadiness } from './application-readiness.entity.js';
import { PersonalDetailsService } from '../personal-details/personal-details.service.js';
import { BookingService } from './booking.service.js';

const LOOKED_AT_ONCE = 50;

/** As short as that of the deliveries. */
const PERIOD_MS = 250;

/** Events of their own, which change nothing. */
const NO_CHANGE: readonly EventType[] = ['application.ready', 'user.blocked', 'user.erased'];

/** After these an application is not ready, even if it is ready again before anybody looks. */
const UNDOING: readonly EventType[] = ['journey.step.reopened', 'pan.released'];

/**
 * Consents that the booking check reads at every issuer: their withdrawal makes an application unready too. Through any partner, because it may
 * cover applications in the apps of others: one event too many rather than one too few. PARTNER_SHARING decides which partner gets the event.
 */
const CONSENTS_READ: readonly string[] = [
  'TERMS_OF_USE',
  'PAN_VERIFICATION',
  'ISSUER_SHARING',
  'PARTNER_SHARING',
] satisfies ConsentPurpose[];

const NOW = (): string => 'now()';

/** After a failure, which does not go away by itself. */
const LATER = (): string => "now() + interval '1 minute'";

/** Adds an event when the booking check of an application becomes clean: it looks after each event that may decide it. */
@Injectable()
export class ReadyApplications implements OnModuleInit {
  private readonly logger = new Logger(ReadyApplications.name);

  // eslint-disable-next-line max-params -- it follows the events, and looks at what the booking check looks at
  constructor(
    @InjectRepository(ApplicationReadiness) private readonly rows: Repository<ApplicationReadiness>,
    private readonly booking: BookingService,
    private readonly details: PersonalDetailsService,
    private readonly journey: JourneyRepository,
    private readonly issuers: IssuerDirectory,
    private readonly users: UsersRepository,
    private readonly log: EventLog,
    private readonly events: PartnerEvents,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.log.onNumbered((tx, events) => this.note(tx, events));
    this.events.onUnwritten((tx, events) =>
      this.note(
        tx,
        events.map(({ issuer = null, reasonCode = null, ...event }) => ({ ...event, issuer, reasonCode })),
      ),
    );
    this.jobs.poll({
      name: 'ready-applications',
      periodMs: () => PERIOD_MS,
      waiting: 'partners wait to learn of ready applications',
      run: () => actingAs('system:events', () => this.lookAtChanged()),
    });
  }

  /**
   * Notes that the applications of these users may have changed, also those that began before anybody listened: a few statements for a whole
   * batch of events.
   */
  private async note(tx: EntityManager, events: readonly NumberedEvent[]): Promise<void> {
    const changing = events.filter(({ type }) => !NO_CHANGE.includes(type));
    if (changing.length === 0) return;
    const begun = await this.journey.begunIssuers(tx, [...new Set(changing.map(({ userId }) => userId))]);
    if (begun.length === 0) return;
    await tx.upsert(
      ApplicationReadiness,
      begun.map(({ userId, issuer }) => ({ userId, issuerSlug: issuer, changedAt: NOW })),
      ['userId', 'issuerSlug'],
    );
    for (const event of changing) {
      const undone = this.undoneBy(event);
      if (undone) await tx.update(ApplicationReadiness, undone, { isReady: false });
    }
  }

  private undoneBy({
    userId,
    type,
    issuer,
    reasonCode,
  }: NumberedEvent): FindOptionsWhere<ApplicationReadiness> | undefined {
    if (UNDOING.includes(type)) return { userId, ...(issuer !== null && { issuerSlug: issuer }) };
    if (type !== 'consent.withdrawn') return undefined;
    if (CONSENTS_READ.includes(reasonCode!)) return { userId };
    if (reasonCode !== ('DEPOSIT_TERMS' satisfies ConsentPurpose)) return undefined;
    const reading = this.issuers.all.filter(({ booking }) => booking.fact_sheet !== 'OPTIONAL');
    return { userId, issuerSlug: In(reading.map(({ slug }) => slug)) };
  }

  async lookAtChanged(): Promise<void> {
    if (!this.events.mayListen) return;
    const changed = await this.rows.find({
      where: { changedAt: Raw((at) => `${at} <= now()`) },
      order: { changedAt: 'ASC' },
      take: LOOKED_AT_ONCE,
    });
    for (const { userId, issuerSlug } of changed) {
      const key = { userId, issuerSlug };
      const issuer = this.issuers.all.find(({ slug }) => slug === issuerSlug);
      try {
        // before the lock of the row, which its events may need
        if (issuer) await this.details.reopenIncomplete(userId, issuer);
        await this.rows.manager.transaction((tx) => this.look(tx, key, issuer));
      } catch (error) {
        // such as data that cannot be decrypted: the others do not wait for it
        const reason = reasonOf(error);
        this.logger.error({ msg: 'an application was not looked at', issuer: issuerSlug, reason });
        await this.rows.update(key, { changedAt: LATER });
      }
    }
  }

  /** Under the lock of the row: what changes meanwhile is noted after it, and looked at again. */
  private async look(
    tx: EntityManager,
    key: Pick<ApplicationReadiness, 'userId' | 'issuerSlug'>,
    issuer: Issuer | undefined,
  ): Promise<void> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    const known = await tx.findOne(ApplicationReadiness, {
      where: { ...key, changedAt: Not(IsNull()) },
      lock,
    });
    if (!known) return;
    const { userId, issuerSlug } = key;
    // an event of a person who was erased meanwhile, or of an issuer that was removed
    if (!issuer || !(await this.users.isKnown(tx, userId))) {
      await tx.delete(ApplicationReadiness, key);
      return;
    }
    const partnerId = await this.journey.partnerOf(tx, userId, { step: 'BANK', issuerSlug });
    const isReady = partnerId !== null && (await this.booking.isBookable(userId, partnerId, issuer));
    await tx.update(ApplicationReadiness, key, { isReady, changedAt: null });
    if (isReady && !known.isReady)
      await this.events.add(tx, { type: 'application.ready', partnerId, userId, issuer: issuerSlug });
  }
}
