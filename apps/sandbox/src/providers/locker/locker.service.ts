import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { after } from '../../http/india-time.js';
import {
  type LockerOutcome,
  type LockerSession,
  type LockerStatus,
  lockerStatusAt,
} from './locker-session.js';

const LIFE_SECONDS = 600;

/** Who decides at the locker. */
type Shown = Partial<Pick<LockerSession, 'person' | 'phone'>>;

/** The document lockers of people, who give permission on a page. */
@Injectable()
export class LockerService {
  private readonly sessions = new BoundedMap<string, LockerSession>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /** Opens one session for each idempotency key. */
  create(
    given: Pick<LockerSession, 'reference' | 'redirectUrl' | 'person' | 'over'>,
    idempotencyKey: string | undefined,
  ): LockerSession {
    const { provider } = given.over;
    const kind = provider === 'locker' ? 'session' : 'locker_session';
    const effect = { provider, kind, subject: given.reference, idempotencyKey };
    return this.effects.once(effect, () => {
      const expiresAt = after(this.clock.now(), LIFE_SECONDS);
      const session: LockerSession = { ...given, id: uuidv7(), expiresAt, outcome: null };
      this.sessions.set(session.id, session);
      return session;
    });
  }

  findById(id: string): LockerSession | undefined {
    return this.sessions.get(id);
  }

  /** Returns the newest session of a caller's reference. */
  findByReference(reference: string): LockerSession | undefined {
    return [...this.sessions.values()].findLast((session) => session.reference === reference);
  }

  statusOf(session: LockerSession): LockerStatus {
    return lockerStatusAt(session, this.clock.now());
  }

  /** Returns the sessions that wait for their person, newest first. */
  listOpen(): LockerSession[] {
    return [...this.sessions.values()].filter((session) => this.statusOf(session) === 'CREATED').reverse();
  }

  /** @returns false when the session had ended already */
  end(
    session: LockerSession,
    outcome: LockerOutcome,
    { person = session.person, phone }: Shown = {},
  ): boolean {
    if (this.statusOf(session) !== 'CREATED') return false;
    session.person = person;
    session.phone = phone;
    session.outcome = outcome;
    session.over.ended?.(session);
    return true;
  }
}
