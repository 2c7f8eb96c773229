import { EkycErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { check, over, stepOf, tryCheck } from '../support/hosted-ekyc.js';
import { open, show, tryOpen, URL_OF, type Vendor, VENDORS, vendors } from '../support/locker-vendors.js';
import { as, type LoggedIn } from '../support/login.js';
import { aPanHolder, type VerifiedPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

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
      const { login, pan } = await aPanHolder(this.service);
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

  it(
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

  it(
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

  it(
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
      // after the pause that follows a failed poll
      await eventually(async () => expect((await check(me)).is_ekyc_verified).toBe(true));
    }),
  );

  it(
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

describe('document locker over a vendor that takes seconds', () => {
  const SLOW_MS = 2_500;
  const OPENED = { id: 's-1', url: 'https://locker.example/s', validUpto: '2999-01-01T00:00:00+05:30' };
  const STATUS = { setu: 'authenticated', cashfree: 'AUTHENTICATED' };

  /** A service of two replicas, its vendor, and what the vendor does slowly. */
  class SlowVendor {
    slow: 'POST' | 'document' = 'document';
    private person!: VerifiedPan;

    private constructor(
      private readonly name: Vendor,
      readonly service: TestService,
      readonly replica: UsersApp,
      private readonly scripted: ScriptedProvider,
    ) {
      scripted.behaviour = (response) => {
        const { method, path } = scripted.calls.at(-1)!;
        const isDocument = isRead(path);
        const answer =
          method === 'POST' ? OPENED : isDocument ? this.document() : { status: STATUS[this.name] };
        const isSlow = this.slow === 'POST' ? method === 'POST' : isDocument;
        setTimeout(() => answersJson(200, answer)(response), isSlow ? SLOW_MS : 0);
      };
    }

    static async start(name: Vendor): Promise<SlowVendor> {
      const scripted = await ScriptedProvider.start();
      const at = vendors(name, { [URL_OF[name]]: new URL(scripted.url).origin });
      const service = await startService(at);
      return new SlowVendor(name, service, await service.replica(at), scripted);
    }

    async aPerson(): Promise<LoggedIn> {
      const { login, pan } = await aPanHolder(this.service);
      this.person = pan;
      return login;
    }

    readonly reads = () => this.scripted.calls.filter(({ path }) => isRead(path)).length;
    readonly posts = () => this.scripted.calls.filter(({ method }) => method === 'POST').length;

    async end(): Promise<void> {
      await this.service.close();
      await this.scripted.stop();
    }

    private document() {
      const { full_name: name, dob } = this.person;
      const born = dob.split('-').reverse().join('-');
      return {
        setu: { aadhaar: { name, dateOfBirth: born, maskedNumber: 'xxxx-xxxx-1234' } },
        cashfree: { status: 'SUCCESS', reference_id: 7, uid: 'xxxxxxxx1234', name, dob: born },
      }[this.name];
    }
  }

  const isRead = (path: string) => /aadhaar/i.test(path);
  const withVendor =
    (test: (vendor: SlowVendor) => Promise<void>) =>
    (name: Vendor): Promise<void> =>
      withOwn(() => SlowVendor.start(name), test)();

  it.each(VENDORS)(
    'answers 202 during a read by %s, and reads once for all clients on two replicas',
    withVendor(async (vendor) => {
      const { service, replica } = vendor;
      const login = await vendor.aPerson();
      const { session_id: id } = await open(as(service.api, login));
      for (const answer of await Promise.all([
        show(as(service.api, login), id),
        tryOpen(as(replica.api, login)),
      ])) {
        expect(answer.status).toBe(202);
        expect(answer.body.payload).toMatchObject({ session_id: id, is_ekyc_verified: false });
        expect(answer.headers['retry-after']).toBe('2');
      }
      for (const { status } of await inParallel(4, (n) =>
        show(as((n % 2 ? replica : service).api, login), id),
      ))
        expect([200, 202]).toContain(status);
      await eventually(async () => {
        const { status, body } = await show(as(replica.api, login), id);
        expect([status, body.payload.is_ekyc_verified]).toEqual([200, true]);
      });
      expect(vendor.reads()).toBe(1);
    }),
  );

  it.each(VENDORS)(
    'answers 503 while it opens a session at %s, and then returns that session',
    withVendor(async (vendor) => {
      const { service, replica } = vendor;
      vendor.slow = 'POST';
      const login = await vendor.aPerson();
      expectRefusal(await tryOpen(as(service.api, login)), EkycErrors.unavailable);
      await eventually(async () => expect((await tryOpen(as(replica.api, login))).status).not.toBe(503));
      expect(vendor.posts()).toBe(1);
    }),
  );
});
