import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { BoundedMap } from '../http/bounded-map.js';

/** Maximum of stored effects; the oldest are dropped first. */
export const EFFECTS_CAPACITY = 5_000;

/** Maximum of stored idempotency keys for each kind of effect of each provider and issuer; the oldest are dropped first. */
export const REMEMBERED_KEYS = 10_000;

/** Something that a provider or an issuer did on request. */
export interface Effect {
  /** UUIDv7. */
  readonly id: string;
  /** `bank`, `issuer:kaveri`, ... */
  readonly provider: string;
  /** `penny_drop`, `message`, ... */
  readonly kind: string;
  /** The target: an account number, an address, a reference. */
  readonly subject: string;
  readonly idempotencyKey: string | null;
  /** Calls that carried its key: 1 when it was never repeated. */
  calls: number;
  readonly at: Date;
}

interface NewEffect extends Pick<Effect, 'provider' | 'kind' | 'subject'> {
  readonly idempotencyKey?: string | undefined;
  /** The owner of the keys. Defaults to this provider and kind. */
  readonly keysOf?: string;
}

interface Remembered {
  readonly effect: Effect;
  readonly answer: unknown;
}

/** The ledger of effects, and the memory that makes each happen once for each idempotency key. */
@Injectable()
export class Effects {
  private readonly ledger = new BoundedMap<string, Effect>(EFFECTS_CAPACITY);
  private readonly answers = new Map<string, BoundedMap<string, Remembered>>();

  constructor(private readonly clock: Clock) {}

  /**
   * Runs the work once for each idempotency key, and returns the first answer again. It is synchronous, so that parallel calls
   * cannot overtake each other. Work that throws has no effect, and its key is not stored.
   * @returns the result of the work, now or the first time; immutable
   */
  once<Answer>({ keysOf, ...effect }: NewEffect, work: () => Answer): Answer {
    const { provider, kind, idempotencyKey } = effect;
    const keys = this.keysOf(keysOf ?? `${provider} ${kind}`);
    const known = idempotencyKey === undefined ? undefined : keys.get(idempotencyKey);
    if (known) {
      known.effect.calls += 1;
      return known.answer as Answer;
    }
    const answer = work();
    const recorded = this.record(effect);
    if (idempotencyKey !== undefined) keys.set(idempotencyKey, { effect: recorded, answer });
    return answer;
  }

  /** Records an effect that happens with each call. */
  record({ idempotencyKey, ...done }: Omit<NewEffect, 'keysOf'>): Effect {
    const at = this.clock.now();
    const effect = { id: uuidv7(), ...done, idempotencyKey: idempotencyKey ?? null, calls: 1, at };
    this.ledger.set(effect.id, effect);
    return effect;
  }

  /** Returns effects, newest first; of one provider and on one subject where these are given. */
  list({ provider, subject }: { provider?: string; subject?: string } = {}): Effect[] {
    return [...this.ledger.values()]
      .filter((effect) => provider === undefined || effect.provider === provider)
      .filter((effect) => subject === undefined || effect.subject === subject)
      .reverse();
  }

  private keysOf(owner: string): BoundedMap<string, Remembered> {
    const known = this.answers.get(owner) ?? new BoundedMap<string, Remembered>(REMEMBERED_KEYS);
    this.answers.set(owner, known);
    return known;
  }
}
