import type { Clock } from '@fd/platform';
import type { DocumentLocker, LockerOutcome, OpenedLocker, Visit } from '../../ekyc-providers.port.js';
import type { CashfreeLockerClient } from './cashfree-locker.client.js';

/** Validity of Cashfree's link, which the answer does not contain. */
const LINK_MS = 600_000;

/** The outcome of a session without an Aadhaar, by status and by refusal. An unknown reference is expired. */
const OUTCOMES = {
  PENDING: 'open',
  CONSENT_DENIED: 'denied',
  EXPIRED: 'expired',
  AADHAAR_NOT_LINKED: 'no-aadhaar',
  consent_not_granted: 'denied',
  reference_id_not_found: 'expired',
  session_expired: 'expired',
  url_expired: 'expired',
  user_detail_mismatch: 'another-person',
  verification_id_not_found: 'expired',
  verification_id_value_invalid: 'expired',
} as const satisfies Readonly<Record<string, LockerOutcome['outcome']>>;

/** DigiLocker over Cashfree. See the README beside this file. */
export class CashfreeLockerAdapter implements DocumentLocker {
  readonly name: string;
  readonly isSlow = true;
  // to be confirmed: see the README
  readonly isOverOnceReturned = false;

  /** @param returnUrl return address for clients that name none */
  constructor(
    private readonly client: CashfreeLockerClient,
    private readonly returnUrl: string,
    private readonly clock: Clock,
  ) {
    this.name = client.client.name;
  }

  async open({ reference, redirectUrl }: Visit): Promise<OpenedLocker | undefined> {
    const expiresAt = new Date(this.clock.now().getTime() + LINK_MS);
    const url = await this.client.begin(reference, redirectUrl ?? this.returnUrl);
    return url === undefined ? undefined : { lockerId: reference, url, expiresAt };
  }

  async outcome(reference: string): Promise<LockerOutcome> {
    const found = await this.client.status(reference);
    if ('code' in found) return { outcome: OUTCOMES[found.code] };
    const { status, user_details: user } = found;
    return status === 'AUTHENTICATED' ? this.read(reference, user?.mobile) : { outcome: OUTCOMES[status] };
  }

  private async read(verificationId: string, phone: string | undefined): Promise<LockerOutcome> {
    const read = await this.client.aadhaar(verificationId);
    if (read.status !== 'SUCCESS') return { outcome: OUTCOMES[read.status] };
    const { person, reference, lastFour } = read;
    return { outcome: 'allowed', person: { ...person, phone }, reference, lastFour };
  }
}
