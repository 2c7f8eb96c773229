import { withDeadline } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import type { PanLookup, PanQuery } from '../../pan-registry.port.js';
import { holderKind, splitName } from '../holder.js';
import type { CashfreePanClient, MatchedPan, RevealedPan } from './cashfree-pan.client.js';

/**
 * Meaning of Cashfree's states of a PAN without a usable holder. `INVALID` or no state: Cashfree does not distinguish
 * unknown from invalid PANs.
 */
const REVEALED = {
  INVALID: 'not-found',
  DELETED: 'not-valid',
  DEACTIVATED: 'not-valid',
} as const;

const MATCHED = { ED: 'not-valid', N: 'not-found', F: 'not-found', X: 'not-valid', D: 'not-valid' } as const;

type Holder = RevealedPan & { readonly valid: true };

/** PAN look-ups at Cashfree: one call returns the name, one compares the date of birth. See the README beside this file. */
export class CashfreePanAdapter {
  readonly name: string;

  /** @param limitMs of the second call; the caller limits the first one */
  constructor(
    private readonly client: CashfreePanClient,
    private readonly limitMs = Infinity,
  ) {
    this.name = client.client.name;
  }

  async lookUp(
    { pan, dateOfBirth }: PanQuery,
    reference: string,
    keep: (answer: Holder) => Promise<void> = () => Promise.resolve(),
  ): Promise<PanLookup> {
    const holder = await this.client.reveal(pan, reference);
    if (!holder.valid) return { outcome: REVEALED[holder.pan_status ?? 'INVALID'] };
    const kind = holderKind(pan, holder.type);
    if (kind === 'other') return { outcome: 'not-valid' };
    if (kind === 'contradiction') throw this.client.client.malformed('reveal-pan', 'the kind of holder');
    await keep(holder);
    // what the first call has taken must not cut short the second, which would then be paid in vain
    const match = await withDeadline(() => this.match(holder, dateOfBirth, reference), this.limitMs);
    return this.compared(holder, match);
  }

  /** Makes the second call with the same id. Cashfree refuses a repeat of it and charges nothing. */
  async resume({ dateOfBirth }: PanQuery, reference: string, answer: unknown): Promise<PanLookup> {
    // the answer was checked before it was stored
    const holder = answer as Holder;
    return this.compared(holder, await this.match(holder, dateOfBirth, reference));
  }

  /**
   * @throws ProviderError `timeout` for any failure: the look-up is charged, so it goes to no other provider, and counts
   * unless our account is at fault
   */
  private async match(
    { pan, registered_name: name }: Holder,
    dob: string,
    reference: string,
  ): Promise<MatchedPan> {
    try {
      return await this.client.match({ pan, name, dob }, `${reference}-dob`);
    } catch (cause) {
      if (!(cause instanceof ProviderError)) throw cause;
      const detail = `the second of two calls: ${cause.failure}`;
      const reason = cause.failure === 'misconfigured' ? 'our-account' : undefined;
      throw new ProviderError(this.name, 'timeout', { detail, cause, reason });
    }
  }

  private compared(holder: Holder, match: MatchedPan): PanLookup {
    if (match.pan_status !== 'E') return { outcome: MATCHED[match.pan_status] };
    // Cashfree itself returned the compared name, so it must match
    if (match.name_match === 'N') throw this.client.client.malformed('match-pan', 'name_match');
    if (match.dob_match === 'N') return { outcome: 'dob-differs' };
    const fullName = holder.registered_name;
    return {
      outcome: 'verified',
      names: { fullName, ...splitName(fullName), fatherName: holder.father_name },
      isBirthDateCompared: true,
      aadhaarSeedingStatus: holder.aadhaar_seeding_status,
    };
  }
}
