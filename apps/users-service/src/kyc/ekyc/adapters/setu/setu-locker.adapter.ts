import type { DocumentLocker, LockerOutcome, OpenedLocker, Visit } from '../../ekyc-providers.port.js';
import type { SetuLockerClient } from './setu-locker.client.js';

/** DigiLocker has not given Setu the document, or not in a readable form; it may later. */
const UNREADABLE = ['get_xml_failed', 'unwrap_aadhaar_failed'] as const;
type Unreadable = (typeof UNREADABLE)[number];

const isUnreadable = (code: string): code is Unreadable => UNREADABLE.some((known) => known === code);

/** The outcome of a request without an Aadhaar, by status and by refusal. */
const OUTCOMES = {
  unauthenticated: 'open',
  revoked: 'denied',
  aadhaar_not_available: 'no-aadhaar',
  aadhaar_not_linked: 'no-aadhaar',
  consent_not_given: 'denied',
  customer_detail_mismatch: 'another-person',
  invalid_grant: 'expired',
  invalid_token: 'expired',
  request_not_found: 'expired',
  token_revoked: 'denied',
  user_consent_not_given: 'denied',
  user_not_authenticated: 'open',
} as const satisfies Readonly<Record<string, LockerOutcome['outcome']>>;
type Unread = keyof typeof OUTCOMES | Unreadable;

/** DigiLocker over Setu. See the README beside this file. */
export class SetuLockerAdapter implements DocumentLocker {
  readonly name: string;
  readonly isSlow = true;
  // to be confirmed: see the README
  readonly isOverOnceReturned = false;

  /** @param returnUrl return address for clients that name none */
  constructor(
    private readonly client: SetuLockerClient,
    private readonly returnUrl: string,
  ) {
    this.name = client.client.name;
  }

  async open({ redirectUrl }: Visit): Promise<OpenedLocker> {
    const { id, url, validUpto } = await this.client.begin(redirectUrl ?? this.returnUrl);
    return { lockerId: id, url, expiresAt: validUpto };
  }

  async outcome(id: string): Promise<LockerOutcome> {
    const found = await this.client.status(id);
    if (typeof found === 'string') return this.unread(found);
    const { status, digilockerUserDetails: user } = found;
    return status === 'authenticated' ? this.read(id, user?.phoneNumber) : this.unread(status);
  }

  private async read(id: string, phone: string | undefined): Promise<LockerOutcome> {
    const read = await this.client.aadhaar(id);
    if (typeof read === 'string') return this.unread(read);
    const { name, dateOfBirth: born, maskedNumber: lastFour } = read;
    return { outcome: 'allowed', person: { name, born, phone }, reference: id, lastFour };
  }

  private unread(code: Unread): LockerOutcome {
    if (isUnreadable(code)) throw this.client.client.failed('unavailable', code);
    return { outcome: OUTCOMES[code] };
  }
}
