import { createHmac, randomUUID } from 'node:crypto';
import type { EkycStatusPayload, LockerSessionPayload } from '@fd/contracts';
import { WebhookErrors } from '@fd/errors';
import { type ApiClient, eventually } from '@fd/testing';
import { aadhaarReadsOf } from '../support/effects.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { type VerifiedPan, verifyPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { vendorSettings } from '../support/settings.js';
import { startService, type TestService } from '../support/users-app.js';

const SECRET = 'webhook-secret';
/** Longer than any pause between two polls of the worker. */
const PUT_OFF_MS = 3_600_000;

/** A verification at Cashfree that the worker polls again in an hour. */
interface Followed {
  readonly id: string;
  readonly me: ApiClient;
  readonly finish: () => Promise<void>;
}

/** The differences between the products; their webhooks name a verification in the same way. */
const PRODUCTS = {
  ekyc_requests: {
    events: ['KYC_LINK_ACTION_PERFORMED', 'KYC_LINK_SUCCESS', 'KYC_LINK_EXPIRED'],
    slug: 'aravalli',
    open: async (me: ApiClient, pan: VerifiedPan): Promise<Followed> => {
      const { body } = await me.post(issuerPath('aravalli', 'v3/check-status'), {});
      const { ekyc_request_id: id } = body.payload as EkycStatusPayload;
      const person = { name: pan.full_name, date_of_birth: pan.dob };
      return { me, id: id!, finish: () => finishEkyc(id!, 'verified', person) };
    },
  },
  locker_sessions: {
    events: [
      'DIGILOCKER_VERIFICATION_SUCCESS',
      'DIGILOCKER_VERIFICATION_CONSENT_DENIED',
      'DIGILOCKER_VERIFICATION_LINK_EXPIRED',
      'DIGILOCKER_VERIFICATION_FAILURE',
    ],
    slug: 'kaveri',
    open: async (me: ApiClient, pan: VerifiedPan): Promise<Followed> => {
      const path = issuerPath('kaveri', 'v1/document-locker/session');
      const { body } = await me.post(path, { consent_checked: true });
      const { session_id: id, url } = body.payload as LockerSessionPayload;
      const person = { name: pan.full_name, date_of_birth: pan.dob };
      return { me, id, finish: () => finishLocker(url, 'allow', person) };
    },
  },
} as const;

describe.each(Object.keys(PRODUCTS) as (keyof typeof PRODUCTS)[])(
  'webhooks of Cashfree about %s',
  (table) => {
    const { events, slug, open } = PRODUCTS[table];
    const clientId = `ekyc-webhooks-${table}-${process.pid}`;
    let service: TestService;
    beforeAll(async () => {
      service = await startService({
        ...vendorSettings(sandboxUrl()),
        // no other provider setting names the vendor
        ...(table === 'ekyc_requests' ? { EKYC_PROVIDERS: 'cashfree' } : { LOCKER_PROVIDERS: 'cashfree' }),
        CASHFREE_CLIENT_ID: clientId,
        CASHFREE_CLIENT_SECRET: SECRET,
      });
    });
    afterAll(() => service.close());

    const query = <T>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
      service.dataSource.query<T[]>(sql, parameters);

    const putOff = (id: string, ms = PUT_OFF_MS) =>
      query(
        `UPDATE onboarding.${table} SET next_try_at = now() + make_interval(secs => $2) WHERE id = $1 AND lease_id IS NULL`,
        [id, ms / 1_000],
      );

    async function rowOf(id: string): Promise<{ state: string; isPutOff: boolean }> {
      const [row] = await query<{ state: string; isPutOff: boolean }>(
        `SELECT state, next_try_at > now() + interval '50 minutes' AS "isPutOff" FROM onboarding.${table} WHERE id = $1`,
        [id],
      );
      return row!;
    }

    async function aFollowed(): Promise<Followed> {
      const user = await logIn(service);
      const me = as(service.api, user);
      const followed = await open(me, await verifyPan(me));
      await eventually(async () => {
        await putOff(followed.id);
        expect(await rowOf(followed.id)).toEqual({ state: 'FOLLOWED', isPutOff: true });
      });
      return followed;
    }

    const bodyAbout = (id: unknown, event: string = events[0]): string =>
      JSON.stringify({
        event_type: event,
        event_time: new Date().toISOString(),
        data: { verification_id: id, status: 'AUTHENTICATED', form_status: 'SUCCESS' },
      });

    const send = async (body: string, secret = SECRET) => {
      const at = String(Date.now());
      const signature = createHmac('sha256', secret).update(`${at}${body}`).digest('base64');
      const answer = await fetch(`${service.url}/api/v1/webhooks/cashfree`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-webhook-timestamp': at,
          'x-webhook-signature': signature,
        },
        body,
      });
      const { error } = (await answer.json()) as { error?: { errorCode: string }[] };
      return error ? error[0]!.errorCode : answer.status;
    };

    /** Counts genuine webhooks, including repeats. */
    async function taken(): Promise<number> {
      const { text } = await service.api.get('/metrics');
      const counts = [...text.matchAll(/^webhooks_total\{.*outcome="(?:taken|repeated)"\} (\d+)$/gm)];
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    }

    const statusOf = async ({ me }: Followed) => {
      const { body } = await me.get(issuerPath(slug, 'v1/journey'));
      return (body.payload.steps as { step: string; status: string }[]).find(({ step }) => step === 'EKYC')
        ?.status;
    };

    it.each(events)('makes the worker poll at once by %s, which decides nothing', async (event) => {
      const followed = await aFollowed();
      expect(await send(bodyAbout(followed.id, event))).toBe(200);
      // still open after the poll, it is followed as before
      await eventually(async () =>
        expect(await rowOf(followed.id)).toEqual({ state: 'FOLLOWED', isPutOff: false }),
      );
      expect(await statusOf(followed)).toBe('IN_PROGRESS');
    });

    it('ignores forged and repeated webhooks and those about other records', async () => {
      const { id } = await aFollowed();
      expect(await send(bodyAbout(id), 'guessed')).toBe(WebhookErrors.notGenuine.code);
      for (const other of [randomUUID(), 'not-ours', 7, null]) expect(await send(bodyAbout(other))).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
      const body = bodyAbout(id);
      expect(await send(body)).toBe(200);
      await eventually(async () => {
        expect((await rowOf(id)).isPutOff).toBe(false);
        await putOff(id);
        expect((await rowOf(id)).isPutOff).toBe(true);
      });
      expect(await send(body)).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
    });

    it('ignores webhooks about records of another provider, or settled ones', async () => {
      const { id } = await aFollowed();
      await query(`UPDATE onboarding.${table} SET provider = 'another' WHERE id = $1`, [id]);
      expect(await send(bodyAbout(id))).toBe(200);
      expect((await rowOf(id)).isPutOff).toBe(true);
      await query(
        `UPDATE onboarding.${table} SET provider = $2, state = 'SETTLED', settled_at = now() WHERE id = $1`,
        [id, table === 'ekyc_requests' ? 'cashfree-ekyc' : 'cashfree-locker'],
      );
      expect(await send(bodyAbout(id, events[1]))).toBe(200);
      expect(await rowOf(id)).toEqual({ state: 'SETTLED', isPutOff: true });
    });

    it('completes the eKYC by webhooks delivered twice and out of order, with one payment', async () => {
      await fetch(`${sandboxUrl()}/api/webhooks/${clientId}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${service.url}/api/v1/webhooks/cashfree` }),
      });
      const followed = await aFollowed();
      const before = await taken();
      await followed.finish();
      // only the webhooks make the record due here
      await eventually(async () => expect(await statusOf(followed)).toBe('DONE'));
      expect(await aadhaarReadsOf('cashfree', followed.id)).toEqual({ reads: 1, charges: 1 });
      // the service must not shut down before the last webhook
      await eventually(async () => expect((await taken()) - before).toBe(3));
    });
  },
);
