import {
  type Client,
  createClient,
  type Operation,
  type Payload,
  type UsersPaths,
  waitForBank,
  waitForEkyc,
  waitForPan,
} from '@fd/client';
import { finishEkyc, finishLocker } from './ekyc.js';
import { codeOf } from './inbox.js';
import { ISSUER_CODES, type IssuerSlug } from './issuers.js';
import type { Person } from './person.js';

type EkycStatus = Payload<Operation<UsersPaths, '/issuer-apis/{issuer_slug}/v3/check-status', 'post'>>;
type Booking = Payload<Operation<UsersPaths, '/issuer-apis/{issuer_slug}/v1/booking-check', 'get'>>;

/** Returns a client that calls only users-service. */
export const clientAt = (
  usersUrl: string,
  options: Partial<Parameters<typeof createClient>[0]> = {},
): Client => createClient({ usersUrl, masterUrl: 'http://127.0.0.1:1', timeoutMs: 60_000, ...options });

/** Logs a person in as a frontend does. */
export async function logInWith({ users, session }: Client, phone: string): Promise<void> {
  await users.post('/auth/register', { body: { phone } });
  await session.logIn({
    phone,
    otp: await codeOf(phone),
    partner_url: 'https://app.partner.example',
    consent: true,
  });
}

/** The journey of one person with one issuer, made with the generated client: every call and answer is typed. */
export class TypedClientJourney {
  private readonly users: Client['users'];
  private readonly path: { readonly issuer_slug: IssuerSlug };
  private readonly issuerCode: string;

  constructor(
    private readonly client: Client,
    private readonly issuer: IssuerSlug,
    private readonly person: Person,
  ) {
    this.users = client.users;
    this.path = { issuer_slug: issuer };
    this.issuerCode = ISSUER_CODES[issuer];
  }

  /** Goes from registration to the answer whether the deposit can be booked. */
  async all(): Promise<Booking> {
    await logInWith(this.client, this.person.phone);
    await this.chooseDeposit();
    if (this.issuer === 'sahyadri') await this.leadAndContext();
    const { pan: number, dob } = this.person;
    const pan = await this.users.post('/api/v1/pan-verification', {
      body: { number, dob, consent_checked: true },
    });
    if (pan.status === 202) await waitForPan(this.users, pan.payload.verification_id);
    await this.users.post('/issuer-apis/{issuer_slug}/v2/check-etb', { path: this.path });
    await this.ekyc();
    await this.email();
    await this.details();
    await this.bank();
    await this.users.post('/api/v1/user-nominee', { body: this.person.nominee });
    const { payload } = await this.users.get('/issuer-apis/{issuer_slug}/v1/booking-check', {
      path: this.path,
    });
    return payload;
  }

  private async chooseDeposit(): Promise<void> {
    await this.users.post('/api/v1/insights-tracking', {
      body: {
        event_id: crypto.randomUUID(),
        event_name: 'FD_SELECTED',
        issuer_code: this.issuerCode,
        occurred_at: new Date().toISOString(),
        properties: { amount: 50_000, tenure: 730 },
      },
    });
  }

  private async leadAndContext(): Promise<void> {
    const { path } = this;
    const body = { fd_info: { amount: 50_000, tenure: 730 }, source: 'app' };
    const { payload } = await this.users.post('/issuer-apis/{issuer_slug}/v1/lead', { path, body });
    const { lead_id } = payload;
    await this.users.post('/issuer-apis/{issuer_slug}/v1/kyc-context', { path, body: { lead_id } });
  }

  private async ekycStatus(): Promise<EkycStatus> {
    return (await this.users.post('/issuer-apis/{issuer_slug}/v3/check-status', { path: this.path })).payload;
  }

  private async ekyc(): Promise<void> {
    const { ekyc_method: method, ekyc_request_id: id } = await this.ekycStatus();
    switch (method) {
      case 'AADHAAR_OTP':
        await this.aadhaar();
        break;
      case 'DIGILOCKER':
        await this.locker();
        break;
      case 'HOSTED':
        await finishEkyc(id!, 'verified');
    }
    expect((await waitForEkyc(this.users, this.issuer)).payload).toMatchObject({ is_ekyc_verified: true });
  }

  private async aadhaar(): Promise<void> {
    const { path } = this;
    const { aadhaar } = this.person;
    const sent = await this.users.post('/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp', {
      path,
      body: { aadhaar_number: aadhaar, consent_checked: true },
    });
    const body = { ekyc_request_id: sent.payload.ekyc_request_id, otp: await codeOf(aadhaar) };
    await this.users.post('/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp', { path, body });
  }

  private async locker(): Promise<void> {
    const { path } = this;
    const body = { consent_checked: true };
    const { payload } = await this.users.post('/issuer-apis/{issuer_slug}/v1/document-locker/session', {
      path,
      body,
    });
    await finishLocker(payload.url, 'allow');
    await this.users.get('/issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}', {
      path: { ...path, session_id: payload.session_id },
    });
  }

  private async email(): Promise<void> {
    const { email } = this.person;
    await this.users.post('/api/v1/email/send-otp', { body: { email } });
    await this.users.post('/api/v1/email/verify-otp', { body: { email, otp: await codeOf(email) } });
  }

  /** Chooses the first value of each list and accepts every declaration. */
  private async details(): Promise<void> {
    const query = { issuer_code: this.issuerCode };
    const { payload } = await this.users.get('/api/v1/personal-details/options', { query });
    const { options, declarations } = payload;
    await this.users.post('/api/v1/personal-details', {
      query,
      body: {
        gender: options.gender?.[0]?.key,
        marital_status: options.marital_status?.[0]?.key,
        mother_name: this.person.motherName,
        occupation: options.occupation?.[0]?.key,
        annual_income_range: options.annual_income_range?.[0]?.key,
        source_of_funds: options.source_of_funds?.[0]?.key,
        place_of_birth: 'Mysuru',
        nationality: options.nationality?.[0]?.key,
        residential_status: options.residential_status?.[0]?.key,
        communication_address: this.person.address,
        is_pep: false,
        is_tax_resident_india_only: true,
        declarations: declarations.map(({ code, version }) => ({ code, version, accepted: true })),
      },
    });
  }

  /** Polls until the issuer has registered the account. */
  private async bank(): Promise<void> {
    const { account, ifsc } = this.person;
    const { payload } = await this.users.post('/api/v1/bank/sync-to-issuer', {
      body: { account, ifsc, issuer_code: this.issuerCode },
    });
    const now = await waitForBank(this.users, payload.verification_id);
    expect(now.payload).toMatchObject({ is_bank_verified: true, is_synced: true });
  }
}
