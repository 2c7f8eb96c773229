import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../effects/effects.service.js';
import { BoundedMap } from '../wire/bounded-map.js';
import { after } from '../wire/india-time.js';
import {
  type LockerOutcome,
  type LockerSession,
  type LockerStatus,
  lockerStatusAt,
} from './locker-session.js';

/** Sessions that are kept; the oldest go first. */
const CAPACITY = 10_000;

const LIFE_SECONDS = 600;

export type NewLockerSession = Pick<LockerSession, 'reference' | 'redirectUrl' | 'expected'>;

/** The document lockers of people: who may see what is in them is asked on a page. */
@Injectable()
export class LockerService {
  private readonly sessions = new BoundedMap<string, LockerSession>(CAPACITY);

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session, once for each idempotency key.
   * @param answer what is told of it, now and when the key is repeated
   */
  create<Answer>(
    wanted: NewLockerSession,
    idempotencyKey: string | undefined,
    answer: (session: LockerSession) => Answer,
  ): Answer {
    const subject = wanted.reference;
    return this.effects.once({ party: 'locker', kind: 'session', subject, idempotencyKey }, () => {
      const expiresAt = after(this.clock.now(), LIFE_SECONDS);
      const session: LockerSession = { ...wanted, id: uuidv7(), expiresAt, outcome: null };
      this.sessions.set(session.id, session);
      return answer(session);
    });
  }

  find(id: string): LockerSession | undefined {
    return this.sessions.get(id);
  }

  statusOf(session: LockerSession): LockerStatus {
    return lockerStatusAt(session, this.clock.now());
  }

  /** Those that wait for their person, newest first. */
  listOpen(): LockerSession[] {
    return [...this.sessions.values()].filter((session) => this.statusOf(session) === 'CREATED').reverse();
  }

  /** @returns false when it had ended already */
  end(session: LockerSession, outcome: LockerOutcome): boolean {
    if (this.statusOf(session) !== 'CREATED') return false;
    session.outcome = outcome;
    return true;
  }
}
