import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../effects/effects.service.js';
import { BoundedMap } from '../wire/bounded-map.js';
import { after } from '../wire/india-time.js';
import { Refusal } from '../wire/refusal.js';
import { type EkycOutcome, type EkycRequest, type EkycState, ekycStateAt, isOpen } from './ekyc-request.js';

/** Requests that are kept; the oldest go first. */
const CAPACITY = 10_000;

export interface NewEkycRequest extends Pick<
  EkycRequest,
  'reference' | 'issuerCode' | 'method' | 'redirectUrl'
> {
  readonly validForSeconds: number;
}

/** The eKYCs of people that a provider does for its customers, on pages of its own. */
@Injectable()
export class EkycService {
  private readonly byReference = new BoundedMap<string, EkycRequest>(CAPACITY);
  private readonly byId = new BoundedMap<string, EkycRequest>(CAPACITY);

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a request, once for each idempotency key.
   * @param answer what is told of it, now and when the key is repeated
   * @throws Refusal `duplicate_reference`
   */
  create<Answer>(
    { validForSeconds, ...wanted }: NewEkycRequest,
    idempotencyKey: string | undefined,
    answer: (request: EkycRequest) => Answer,
  ): Answer {
    const subject = wanted.reference;
    return this.effects.once({ party: 'ekyc', kind: 'request', subject, idempotencyKey }, () => {
      if (this.byReference.get(wanted.reference)) {
        throw new Refusal(409, 'duplicate_reference', 'There is a request with this reference.');
      }
      const expiresAt = after(this.clock.now(), validForSeconds);
      const request: EkycRequest = { ...wanted, id: uuidv7(), expiresAt, state: 'created' };
      this.byReference.set(request.reference, request);
      this.byId.set(request.id, request);
      return answer(request);
    });
  }

  find(reference: string): EkycRequest | undefined {
    return this.byReference.get(reference);
  }

  findById(id: string): EkycRequest | undefined {
    return this.byId.get(id);
  }

  stateOf(request: EkycRequest): EkycState {
    return ekycStateAt(request, this.clock.now());
  }

  /** Those that somebody may still do, newest first. */
  listOpen(): EkycRequest[] {
    return [...this.byReference.values()].filter((request) => isOpen(this.stateOf(request))).reverse();
  }

  /** The person looks at the page. */
  open(request: EkycRequest): void {
    if (this.stateOf(request) === 'created') request.state = 'opened';
  }

  /** @returns false when it had ended already */
  end(request: EkycRequest, outcome: EkycOutcome): boolean {
    if (!isOpen(this.stateOf(request))) return false;
    request.state = outcome;
    return true;
  }

  /** The person was verified in another way, whatever became of it here. */
  close(request: EkycRequest): void {
    request.state = 'verified';
  }
}
