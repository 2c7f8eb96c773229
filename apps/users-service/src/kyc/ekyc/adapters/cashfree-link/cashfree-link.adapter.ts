import { indiaDateOf } from '@fd/contracts';
import type { Clock } from '@fd/platform';
import type { HostedEkyc, HostedEkycState, HostedVisit, OpenedPage } from '../../ekyc-providers.port.js';
import { readAadhaar } from '../cashfree/cashfree-aadhaar.client.js';
import type { CashfreeForm, CashfreeLinkClient } from './cashfree-link.client.js';

/**
 * Time for which a link is returned: at Cashfree it is valid until the end of the next day, and polling it for so long
 * would exceed Cashfree's rate limit.
 */
const LINK_MS = 1_800_000;
const DAY_MS = 86_400_000;

const STATES = {
  // customers of Cashfree see this for an unused link
  RECEIVED: 'created',
  PENDING: 'opened',
  FAILED: 'failed',
  FAILURE: 'failed',
  EXPIRED: 'expired',
} as const;

/** Hosted eKYC over a KYC link of Cashfree. See the README beside this file. */
export class CashfreeLinkAdapter implements HostedEkyc {
  readonly name: string;
  readonly isSlow = true;

  /** @param template name of a template in the Cashfree dashboard that requests only the Aadhaar */
  constructor(
    readonly client: CashfreeLinkClient,
    private readonly template: string,
    private readonly clock: Clock,
  ) {
    this.name = client.client.name;
  }

  async open({
    reference,
    phone,
  }: Pick<HostedVisit, 'reference' | 'phone'>): Promise<OpenedPage | undefined> {
    const nowMs = this.clock.now().getTime();
    const expiresAt = new Date(nowMs + LINK_MS);
    const made = await this.client.create({
      verification_id: reference,
      phone: phone.slice(-10),
      template_name: this.template,
      // even for a link that is opened at midnight
      link_expiry: indiaDateOf(new Date(nowMs + DAY_MS)),
    });
    const url = made ?? (await this.client.find(reference))?.form_link;
    return url === undefined ? undefined : { url, expiresAt };
  }

  async state(reference: string): Promise<HostedEkycState> {
    const form = await this.client.find(reference);
    if (form?.form_status === 'SUCCESS') return this.read(form);
    // our clock ends an unknown link
    return { state: STATES[form?.form_status ?? 'RECEIVED'] };
  }

  /** Cashfree has no such call. The link expires with its day, and the service no longer polls it. */
  async close(): Promise<void> {
    return Promise.resolve();
  }

  private async read({ verification_details: details }: CashfreeForm): Promise<HostedEkycState> {
    const { client } = this.client;
    const done = details.find(
      ({ type, status }) => type === 'OFFLINE_AADHAAR_VERIFICATION' && status === 'SUCCESS',
    );
    // data of another template or name proves nothing
    if (!done) throw client.malformed('state', 'a success without an Aadhaar');
    const read = await readAadhaar(client, { reference_id: done.reference_id });
    if (read.status !== 'SUCCESS') throw client.malformed('read-aadhaar', read.status);
    return { state: 'verified', person: read.person };
  }
}
