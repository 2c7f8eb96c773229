import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { BoundedMap } from '../wire/bounded-map.js';
import type { Effect, NewEffect } from './effect.js';

/** Effects that are kept; the oldest go first. */
export const EFFECTS_CAPACITY = 5_000;

/** Keys that each party remembers for each kind of effect; the oldest are forgotten first. */
export const REMEMBERED_KEYS = 10_000;

interface Remembered {
  readonly effect: { calls: number };
  readonly answer: unknown;
}

/** What the parties did, and the memory by which they do it once for each idempotency key. */
@Injectable()
export class Effects {
  private readonly ledger = new BoundedMap<string, Effect>(EFFECTS_CAPACITY);
  private readonly answers = new Map<string, BoundedMap<string, Remembered>>();

  constructor(private readonly clock: Clock) {}

  /**
   * Does something unless it was done for this idempotency key, then answers as the first time. All in one step:
   * calls that arrive together with one key cannot pass each other. Work that throws has no effect, and its key
   * is not remembered.
   * @returns what the work returned, now or the first time; not to be changed
   */
  once<Answer>(effect: NewEffect, work: () => Answer): Answer {
    const { idempotencyKey } = effect;
    if (idempotencyKey === undefined) {
      const answer = work();
      this.record(effect);
      return answer;
    }
    const keys = this.keysOf(effect.keysOf ?? `${effect.party} ${effect.kind}`);
    const known = keys.get(idempotencyKey);
    if (known) {
      known.effect.calls += 1;
      return known.answer as Answer;
    }
    const answer = work();
    keys.set(idempotencyKey, { effect: this.record(effect), answer });
    return answer;
  }

  /** Notes an effect that is one each time it is asked for. */
  record(done: Omit<NewEffect, 'keysOf'>): { calls: number } {
    const { party, kind, subject, idempotencyKey = null } = done;
    const id = uuidv7();
    const effect = { id, party, kind, subject, idempotencyKey, calls: 1, at: this.clock.now() };
    this.ledger.set(id, effect);
    return effect;
  }

  /** Newest first; only those of the party, and to the subject, where these are given. */
  list({ party, subject }: { party?: string; subject?: string } = {}): Effect[] {
    return [...this.ledger.values()]
      .filter((effect) => party === undefined || effect.party === party)
      .filter((effect) => subject === undefined || effect.subject === subject)
      .reverse();
  }

  private keysOf(owner: string): BoundedMap<string, Remembered> {
    const known = this.answers.get(owner);
    if (known) return known;
    const keys = new BoundedMap<string, Remembered>(REMEMBERED_KEYS);
    this.answers.set(owner, keys);
    return keys;
  }
}
