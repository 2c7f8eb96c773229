import { EkycErrors } from '@fd/errors';
import { eventually, expectRefusal, inParallel } from '@fd/testing';
import { VENDORS, type Vendor, vendors, open, show, tryOpen, URL_OF } from '../support/locker-vendors.js';
import { as, type LoggedIn } from '../support/login.js';
import { aPanHolder, type VerifiedPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService, type UsersApp } from '../support/users-app.js';
import { withOwn } from '../support/with-own.js';

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

  it.concurrent.each(VENDORS)(
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

  it.concurrent.each(VENDORS)(
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
