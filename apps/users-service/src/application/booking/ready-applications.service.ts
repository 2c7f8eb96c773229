import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Not, type Repository } from 'typeorm';
import { actingAs, Jobs } from '../../core/index.js';
import { EventLog, type EventType, type NumberedEvent, PartnerEvents } from '../../events/index.js';
import { UsersRepository } from '../../identity/index.js';
import { IssuerDirectory, JourneyRepository } from '../../journey/index.js';
import { ApplicationReadiness } from './application-readiness.entity.js';
import { BookingService } from './booking.service.js';

const LOOKED_AT_ONCE = 50;

/** Events of their own, which change nothing. */
const NO_CHANGE: readonly EventType[] = ['application.ready', 'user.blocked', 'user.erased'];

/** After these an application is not ready, even if it is ready again before anybody looks. */
const UNDOING: readonly EventType[] = ['journey.step.reopened', 'pan.released', 'consent.withdrawn'];

/** Tells partners when the booking check of an application becomes clean: it looks after each event that may decide it. */
@Injectable()
export class ReadyApplications implements OnModuleInit {
  // eslint-disable-next-line max-params -- it follows the events, and looks at what the booking check looks at
  constructor(
    @InjectRepository(ApplicationReadiness) private readonly rows: Repository<ApplicationReadiness>,
    private readonly booking: BookingService,
    private readonly journey: JourneyRepository,
    private readonly issuers: IssuerDirectory,
    private readonly users: UsersRepository,
    private readonly log: EventLog,
    private readonly events: PartnerEvents,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.log.onNumbered((tx, events) => this.note(tx, events));
    this.jobs.poll({
      name: 'ready-applications',
      waiting: 'partners wait to learn of ready applications',
      run: () => actingAs('system:events', () => this.round()),
    });
  }

  /** Notes which applications an event may have changed: those of the user, or the one with the issuer. */
  private async note(tx: EntityManager, events: readonly NumberedEvent[]): Promise<void> {
    for (const { userId, issuer: issuerSlug, type } of events) {
      if (NO_CHANGE.includes(type)) continue;
      const change = { changedAt: () => 'now()', ...(UNDOING.includes(type) && { isReady: false }) };
      if (issuerSlug !== null)
        await tx
          .createQueryBuilder()
          .insert()
          .into(ApplicationReadiness)
          .values({ userId, issuerSlug })
          .orIgnore()
          .execute();
      await tx.update(ApplicationReadiness, { userId, ...(issuerSlug !== null && { issuerSlug }) }, change);
    }
  }

  private async round(): Promise<void> {
    if (!this.events.mayListen(null)) return;
    const changed = await this.rows.find({
      where: { changedAt: Not(IsNull()) },
      order: { changedAt: 'ASC' },
      take: LOOKED_AT_ONCE,
    });
    for (const { userId, issuerSlug } of changed)
      await this.rows.manager.transaction((tx) => this.look(tx, { userId, issuerSlug }));
  }

  /** Under the lock of the row: what changes meanwhile is noted after it, and looked at again. */
  private async look(
    tx: EntityManager,
    key: Pick<ApplicationReadiness, 'userId' | 'issuerSlug'>,
  ): Promise<void> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    const known = await tx.findOne(ApplicationReadiness, {
      where: { ...key, changedAt: Not(IsNull()) },
      lock,
    });
    if (!known) return;
    const { userId, issuerSlug } = key;
    const issuer = this.issuers.all.find(({ slug }) => slug === issuerSlug);
    // an event of a person who was erased meanwhile, or of an issuer that was removed
    if (!issuer || !(await this.users.isKnown(tx, userId))) {
      await tx.delete(ApplicationReadiness, key);
      return;
    }
    const partnerId = await this.journey.partnerOf(tx, userId, { issuerSlug });
    const isReady = partnerId !== null && (await this.booking.isBookable(userId, partnerId, issuer));
    await tx.update(ApplicationReadiness, key, { isReady, changedAt: null });
    if (isReady && !known.isReady)
      await this.events.add(tx, { type: 'application.ready', partnerId, userId, issuer: issuerSlug });
  }
}
