import { setTimeout as sleep } from 'node:timers/promises';
import { repeatUntilServed } from '@fd/testing';
import type { IssuerSlug } from './issuers.js';
import { ISSUER_CODES, issuerPath } from './issuers.js';
import { finishEkyc, finishLocker, type ShownPerson } from './ekyc.js';
import { codeOf } from './inbox.js';
import { verifyBody } from './login.js';
import type { Person } from './person.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly success: number;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly error?: readonly { readonly errorCode: string }[];
  };
}

/** Pause between polls for work that a provider has not finished. */
const POLL_MS = 200;
const POLLS = 225;

/**
 * The journey of one person with one issuer, over HTTP, as a frontend makes it. Each method is one step. Step methods
 * return the answer, and throw if the step did not succeed.
 */
export class JourneyClient {
  private token: string | undefined;
  /** The name on the verified PAN. */
  private name: string | undefined;

  constructor(
    /** Base URL of the service; a test may switch to another replica on the way. */
    public baseUrl: string,
    readonly issuer: IssuerSlug,
    readonly person: Person,
  ) {}

  async call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    headers: object = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        // browsers repeat a call whose kept connection closes without an answer, as a gateway's may; fetch of Node.js does not
        connection: 'close',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  }

  async register(): Promise<Answer> {
    return this.good(201, () => this.call('POST', '/auth/register', { phone: this.person.phone }));
  }

  async logIn(): Promise<Answer> {
    const { phone } = this.person;
    const body = verifyBody(phone, await codeOf(phone));
    const answer = await this.good(200, () => this.call('POST', '/auth/api/v2/register/verify', body));
    this.token = answer.body.payload['access_token'] as string;
    return answer;
  }

  /** Continues with another access token, such as a refreshed one. */
  useToken(accessToken: string): void {
    this.token = accessToken;
  }

  profile = (): Promise<Answer> => this.good(200, () => this.call('GET', '/api/v1/user-profile'));

  journey = (): Promise<Answer> => this.good(200, () => this.call('GET', this.path('v1/journey')));

  async chooseDeposit(): Promise<Answer> {
    const event = {
      event_id: crypto.randomUUID(),
      event_name: 'FD_SELECTED',
      issuer_code: ISSUER_CODES[this.issuer],
      occurred_at: new Date().toISOString(),
      properties: { amount: 50_000, tenure: 730 },
    };
    return this.good(200, () => this.call('POST', '/api/v1/insights-tracking', event));
  }

  async lead(): Promise<Answer> {
    const body = { fd_info: { amount: 50_000, tenure: 730 }, source: 'app' };
    return this.good([200, 201], () => this.call('POST', this.path('v1/lead'), body));
  }

  async kycContext(leadId: unknown): Promise<Answer> {
    return this.good(200, () => this.call('POST', this.path('v1/kyc-context'), { lead_id: leadId }));
  }

  /** Verifies the PAN and date of birth of the person, unless others are given. */
  tryPan(number = this.person.pan, dob = this.person.dob): Promise<Answer> {
    return this.call('POST', '/api/v1/pan-verification', { number, dob, consent_checked: true });
  }

  /** Polls a check that the registry answers late. */
  async pan(): Promise<Answer> {
    let answer = await this.good([200, 202], () => this.tryPan());
    for (let poll = 0; answer.status === 202 && poll < POLLS; poll++) {
      await sleep(POLL_MS);
      const { verification_id: id } = answer.body.payload;
      answer = await this.good([200, 202], () =>
        this.call('GET', `/api/v1/pan-verification/${id as string}`),
      );
    }
    const verified = await this.good(200, () => Promise.resolve(answer));
    this.name = verified.body.payload['full_name'] as string;
    return verified;
  }

  tryEtb = (): Promise<Answer> => this.call('POST', this.path('v2/check-etb'), {});

  etb = (): Promise<Answer> => this.good(200, () => this.tryEtb());

  tryStatus = (): Promise<Answer> => this.call('POST', this.path('v3/check-status'), {});

  status = (): Promise<Answer> => this.good(200, () => this.tryStatus());

  /** Completes eKYC with the issuer's method. */
  async ekyc(): Promise<Answer> {
    const before = await this.status();
    const { ekyc_method: method, ekyc_request_id: id } = before.body.payload;
    // an earlier call succeeded, but its answer was lost
    if (before.body.payload['is_ekyc_verified']) return before;
    if (method === 'AADHAAR_OTP') await this.aadhaarOtp();
    else if (method === 'DIGILOCKER') await this.locker();
    else await finishEkyc(id as string, 'verified', this.shownPerson(), this.person.phone);
    const answer = await this.status();
    if (!answer.body.payload['is_ekyc_verified']) throw new Error('eKYC is not verified');
    return answer;
  }

  tryAadhaarCode = (): Promise<Answer> =>
    this.call('POST', this.path('v1/aadhaar-ekyc/send-otp'), {
      aadhaar_number: this.person.aadhaar,
      consent_checked: true,
    });

  /** Checks the code that was sent to the phone of the Aadhaar. */
  async aadhaarCheck(requestId: unknown): Promise<Answer> {
    const body = { ekyc_request_id: requestId, otp: await codeOf(this.person.aadhaar) };
    return this.good(200, () => this.call('POST', this.path('v1/aadhaar-ekyc/verify-otp'), body));
  }

  openLocker = (): Promise<Answer> =>
    this.good(200, () =>
      this.call('POST', this.path('v1/document-locker/session'), { consent_checked: true }),
    );

  tryEmail = (email = this.person.email): Promise<Answer> =>
    this.call('POST', '/api/v1/email/send-otp', { email });

  async email(): Promise<Answer> {
    const { email } = this.person;
    await this.good(200, () => this.tryEmail());
    const body = { email, otp: await codeOf(email) };
    return this.good(200, () => this.call('POST', '/api/v1/email/verify-otp', body));
  }

  /** Accepts every declaration and fills in every detail that any issuer asks for. */
  async details(): Promise<Answer> {
    const query = `?issuer_code=${ISSUER_CODES[this.issuer]}`;
    const options = await this.good(200, () => this.call('GET', `/api/v1/personal-details/options${query}`));
    const declarations = options.body.payload['declarations'] as { code: string; version: string }[];
    return this.good(200, () =>
      this.call('POST', `/api/v1/personal-details${query}`, {
        ...this.detailFields(options.body.payload['options'] as Options),
        declarations: declarations.map(({ code, version }) => ({ code, version, accepted: true })),
      }),
    );
  }

  tryBank(account = this.person.account): Promise<Answer> {
    return this.call('POST', '/api/v1/bank/sync-to-issuer', {
      account,
      ifsc: this.person.ifsc,
      issuer_code: ISSUER_CODES[this.issuer],
    });
  }

  /** Polls until the issuer has registered the account. */
  async bank(): Promise<Answer> {
    let answer = await this.good([200, 202], () => this.tryBank());
    for (let polls = 0; answer.status === 202 && polls < POLLS; polls++) {
      await sleep(POLL_MS);
      const id = answer.body.payload['verification_id'] as string;
      answer = await this.good([200, 202], () => this.call('GET', `/api/v1/bank/verification/${id}`));
    }
    if (!answer.body.payload['is_synced']) throw new Error('the account is not registered');
    return answer;
  }

  tryNominee = (nominee: object = this.person.nominee): Promise<Answer> =>
    this.call('POST', '/api/v1/user-nominee', nominee);

  nominee = (): Promise<Answer> => this.good(201, () => this.tryNominee());

  bookingCheck = (query = ''): Promise<Answer> =>
    this.good(200, () => this.call('GET', this.path(`v1/booking-check${query}`)));

  /** Goes from registration to a deposit that is ready to book. */
  async all(): Promise<void> {
    await this.register();
    await this.logIn();
    await this.afterLogin();
  }

  /** Goes from the login to a deposit that is ready to book. */
  async afterLogin(): Promise<void> {
    await this.untilBank();
    await this.nominee();
  }

  /** Goes from the login to a deposit that lacks only the nominees. */
  async untilBank(): Promise<void> {
    await this.profile();
    await this.chooseDeposit();
    if (this.issuer === 'sahyadri') await this.kycContext((await this.lead()).body.payload['lead_id']);
    await this.pan();
    await this.etb();
    await this.ekyc();
    await this.email();
    await this.details();
    await this.bank();
  }

  path = (rest: string): string => issuerPath(this.issuer, rest);

  private async aadhaarOtp(): Promise<void> {
    const sent = await this.good(200, () => this.tryAadhaarCode());
    await this.aadhaarCheck(sent.body.payload['ekyc_request_id']);
  }

  private async locker(): Promise<void> {
    const { url, session_id: id } = (await this.openLocker()).body.payload;
    await finishLocker(url as string, 'allow', this.shownPerson());
    await this.good(200, () => this.call('GET', this.path(`v1/document-locker/session/${id as string}`)));
  }

  /** Returns this person: without one, a vendor's page shows the person whom the sandbox met last. */
  private shownPerson(): ShownPerson | undefined {
    return this.name === undefined ? undefined : { name: this.name, date_of_birth: this.person.dob };
  }

  private detailFields(options: Options): object {
    const first = (field: string): string | undefined => options[field]?.[0]?.key;
    return {
      gender: first('gender'),
      marital_status: first('marital_status'),
      mother_name: this.person.motherName,
      occupation: first('occupation'),
      annual_income_range: first('annual_income_range'),
      source_of_funds: first('source_of_funds'),
      place_of_birth: 'Mysuru',
      nationality: first('nationality'),
      residential_status: first('residential_status'),
      communication_address: this.person.address,
      is_pep: false,
      is_tax_resident_india_only: true,
    };
  }

  private async good(status: number | readonly number[], call: () => Promise<Answer>): Promise<Answer> {
    const given = await repeatUntilServed(call);
    const expected = typeof status === 'number' ? [status] : status;
    if (expected.includes(given.status) && given.body.success === 1) return given;
    throw new Error(`${given.status} instead of ${expected.join(' or ')}: ${JSON.stringify(given.body)}`);
  }
}

type Options = Readonly<Record<string, readonly { readonly key: string }[] | undefined>>;
