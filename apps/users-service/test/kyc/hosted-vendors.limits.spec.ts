import type { EkycStatusPayload } from '@fd/contracts';
import { EkycErrors } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { type ApiClient, eventually, expectRefusal, inParallel } from '@fd/testing';
import { issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { type VerifiedPan, verifyPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

const STATUS = issuerPath('aravalli', 'v3/check-status');

const over = (order: string, changes: Environment = {}): Environment => ({
  ...vendorSettings(sandboxUrl()),
  EKYC_PROVIDERS: order,
  ...changes,
});

const tryCheck = (me: ApiClient) => me.post(STATUS, {});

async function check(me: ApiClient): Promise<EkycStatusPayload> {
  const { status, body } = await tryCheck(me);
  expect([status, body.success]).toEqual([200, 1]);
  return body.payload as EkycStatusPayload;
}

interface User {
  readonly login: LoggedIn;
  readonly pan: VerifiedPan;
}

async function aUser(service: TestService): Promise<User> {
  const login = await logIn(service);
  return { login, pan: await verifyPan(as(service.api, login)) };
}

async function stepOf(me: ApiClient): Promise<object | undefined> {
  const { body } = await me.get(issuerPath('aravalli', 'v1/journey'));
  return (body.payload.steps as { step: string }[]).find(({ step }) => step === 'EKYC');
}

describe('hosted eKYC over a vendor that takes seconds', () => {
  const SLOW_MS = 2_500;
  const PAGE = 'https://forms.example/f';

  /** A service of two replicas, its vendor, and what the vendor does slowly. */
  class SlowVendor {
    slow: 'POST' | 'document' | 'form' = 'document';
    answersWith = 200;
    formStatus: 'RECEIVED' | 'SUCCESS' = 'RECEIVED';
    private person!: VerifiedPan;

    private constructor(
      readonly service: TestService,
      readonly replica: UsersApp,
      private readonly scripted: ScriptedProvider,
    ) {
      scripted.behaviour = (response) => {
        const { method, path } = scripted.calls.at(-1)!;
        const asked = method === 'POST' ? method : isDocument(path) ? 'document' : 'form';
        const isSlow = asked === this.slow && (asked !== 'form' || this.formStatus === 'SUCCESS');
        const status = isSlow ? this.answersWith : 200;
        const answer = answersJson(status, asked === 'document' ? this.document() : this.form());
        setTimeout(() => answer(response), isSlow ? SLOW_MS : 0);
      };
    }

    static async start(): Promise<SlowVendor> {
      const scripted = await ScriptedProvider.start();
      const at = over('cashfree', { CASHFREE_URL: new URL(scripted.url).origin });
      const service = await startService(at);
      return new SlowVendor(service, await service.replica(at), scripted);
    }

    async aPerson(): Promise<LoggedIn> {
      const { login, pan } = await aUser(this.service);
      this.person = pan;
      return login;
    }

    readonly reads = () => this.scripted.calls.filter(({ path }) => isDocument(path)).length;
    readonly postsOf = (id: string) =>
      this.scripted.calls.filter(({ method, body }) => method === 'POST' && body['verification_id'] === id)
        .length;

    async end(): Promise<void> {
      await this.service.close();
      await this.scripted.stop();
    }

    private readonly form = () => ({
      form_link: PAGE,
      form_status: this.formStatus,
      verification_details: [{ reference_id: 7, type: 'OFFLINE_AADHAAR_VERIFICATION', status: 'SUCCESS' }],
    });

    private readonly document = () => ({
      status: 'SUCCESS',
      reference_id: 7,
      uid: 'xxxxxxxx1234',
      name: this.person.full_name,
      dob: this.person.dob.split('-').reverse().join('-'),
    });
  }

  const isDocument = (path: string) => path.includes('/document/');
  const withVendor = (test: (vendor: SlowVendor) => Promise<void>) => withOwn(() => SlowVendor.start(), test);

  it.concurrent(
    'returns the known state during a read, reads once for all clients on two replicas, and then reports the eKYC as verified',
    withVendor(async (vendor) => {
      const login = await vendor.aPerson();
      const opened = await check(as(vendor.service.api, login));
      vendor.formStatus = 'SUCCESS';
      for (const { status, body } of await inParallel(4, (n) =>
        tryCheck(as((n % 2 ? vendor.replica : vendor.service).api, login)),
      ))
        expect([status, body.payload]).toEqual([200, opened]);
      await eventually(async () =>
        expect((await check(as(vendor.replica.api, login))).is_ekyc_verified).toBe(true),
      );
      expect(vendor.reads()).toBe(1);
    }),
  );

  it.concurrent(
    'completes without a client',
    withVendor(async (vendor) => {
      const login = await vendor.aPerson();
      const me = as(vendor.service.api, login);
      await check(me);
      vendor.formStatus = 'SUCCESS';
      await eventually(async () => expect(await stepOf(me)).toMatchObject({ status: 'DONE' }));
      expect(vendor.reads()).toBe(1);
    }),
  );

  it.concurrent(
    'asks again after a slow failure, and loses nothing',
    withVendor(async (vendor) => {
      const login = await vendor.aPerson();
      const me = as(vendor.service.api, login);
      const { ekyc_request_id: id, ekyc_url } = await check(me);
      vendor.formStatus = 'SUCCESS';
      [vendor.slow, vendor.answersWith] = ['form', 500];
      expect(await check(me)).toMatchObject({ is_ekyc_verified: false, ekyc_url });
      await eventually(async () => {
        const [row] = await vendor.service.dataSource.query<[{ tries: number; free: boolean }]>(
          'SELECT tries, lease_id IS NULL AS free FROM onboarding.ekyc_requests WHERE id = $1',
          [id],
        );
        expect(row).toMatchObject({ tries: expect.any(Number) as number, free: true });
        expect(row.tries).toBeGreaterThan(0);
      });
      vendor.slow = 'POST';
      expect((await check(me)).is_ekyc_verified).toBe(true);
    }),
  );

  it.concurrent(
    'answers 503 while it opens a link, and then returns that link',
    withVendor(async (vendor) => {
      vendor.slow = 'POST';
      const login = await vendor.aPerson();
      const refused = await tryCheck(as(vendor.service.api, login));
      expectRefusal(refused, EkycErrors.unavailable);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      const id = await eventually(async () => {
        const { status, body } = await tryCheck(as(vendor.replica.api, login));
        expect([status, body.payload.ekyc_url]).toEqual([200, PAGE]);
        return body.payload.ekyc_request_id as string;
      });
      expect(vendor.postsOf(id)).toBe(1);
    }),
  );
});
