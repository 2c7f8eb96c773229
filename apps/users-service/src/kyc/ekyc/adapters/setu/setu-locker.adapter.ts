import type { DocumentLocker, LockerOutcome, OpenedLocker, Visit } from '../../ekyc-providers.port.js';
import type { SetuLockerClient } from './setu-locker.client.js';

/** The outcome for each status before the Aadhaar can be read. */
const UNREAD = { unauthenticated: 'open', revoked: 'denied' } as const;

/** The outcome for each reason that the Aadhaar cannot be read. */
const MISSING = {
  aadhaar_not_linked: 'no-aadhaar',
  aadhaar_not_available: 'no-aadhaar',
  user_consent_not_given: 'denied',
  consent_not_given: 'denied',
  token_revoked: 'denied',
  invalid_token: 'denied',
  invalid_grant: 'denied',
  user_not_authenticated: 'open',
  request_not_found: 'expired',
} as const;

/** DigiLocker over Setu. See the README beside this file. */
export class SetuLockerAdapter implements DocumentLocker {
  readonly name: string;
  readonly isSlow = true;

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
    const status = await this.client.status(id);
    if (status === undefined) return { outcome: 'expired' };
    return status === 'authenticated' ? this.read(id) : { outcome: UNREAD[status] };
  }

  private async read(id: string): Promise<LockerOutcome> {
    const read = await this.client.aadhaar(id);
    if ('error' in read) return { outcome: MISSING[read.error.code] };
    const { name, dateOfBirth: born, maskedNumber: lastFour } = read.aadhaar;
    return { outcome: 'allowed', person: { name, born }, reference: id, lastFour };
  }
}
