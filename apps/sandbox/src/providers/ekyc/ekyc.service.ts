import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { after } from '../../http/india-time.js';
import { Refusal } from '../../http/refusal.js';
import { type EkycOutcome, type EkycRequest, type EkycState, ekycStateAt, isOpen } from './ekyc-request.js';

export interface NewEkycRequest extends Pick<
  EkycRequest,
  'reference' | 'issuerCode' | 'method' | 'redirectUrl' | 'person' | 'over'
> {
  readonly validForSeconds: number;
}

/** Who completes an eKYC. */
type Shown = Partial<Pick<EkycRequest, 'person' | 'phone'>>;

/** The provider's eKYCs on its own pages. */
@Injectable()
export class EkycService {
  private readonly byReference = new BoundedMap<string, EkycRequest>();
  private readonly byId = new BoundedMap<string, EkycRequest>();

  constructor(
    private readonly effects: Effects,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens one request for each idempotency key.
   * @throws Refusal `duplicate_reference`
   */
  create({ validForSeconds, ...given }: NewEkycRequest, idempotencyKey: string | undefined): EkycRequest {
    const { reference, over } = given;
    const { provider, kind } = over;
    return this.effects.once({ provider, kind, subject: reference, idempotencyKey }, () => {
      if (this.byReference.has(reference)) {
        throw new Refusal(409, 'duplicate_reference', 'There is a request with this reference.');
      }
      const expiresAt = after(this.clock.now(), validForSeconds);
      const request: EkycRequest = { ...given, id: uuidv7(), expiresAt, state: 'created' };
      this.byReference.set(reference, request);
      this.byId.set(request.id, request);
      return request;
    });
  }

  findByReference(reference: string): EkycRequest | undefined {
    return this.byReference.get(reference);
  }

  findById(id: string): EkycRequest | undefined {
    return this.byId.get(id);
  }

  stateOf(request: EkycRequest): EkycState {
    return ekycStateAt(request, this.clock.now());
  }

  /** Returns the requests that the person may still finish, newest first. */
  listOpen(): EkycRequest[] {
    return [...this.byReference.values()].filter((request) => isOpen(this.stateOf(request))).reverse();
  }

  /** Records that the person has seen the page. */
  open(request: EkycRequest): void {
    if (this.stateOf(request) === 'created') request.state = 'opened';
  }

  /** @returns false when the request had ended already */
  end(request: EkycRequest, outcome: EkycOutcome, { person = request.person, phone }: Shown = {}): boolean {
    if (!isOpen(this.stateOf(request))) return false;
    request.person = person;
    request.phone = phone;
    request.state = outcome;
    request.over.ended?.(request);
    return true;
  }

  /** Records that the person was verified in another way. */
  close(request: EkycRequest): void {
    request.state = 'closed';
  }
}
