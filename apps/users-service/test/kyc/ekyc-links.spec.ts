import type {
  EkycStatusPayload,
  LockerSessionPayload,
  UserDataExportPayload,
  UserProfilePayload,
} from '@fd/contracts';
import { GeneralErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { DurableCalls } from '../../src/core/index.js';
import { MailNotices } from '../../src/identity/index.js';
import { shortOf, trailOf } from '../support/audit.js';
import { anEmail, verifyEmail } from '../support/email.js';
import { finishEkyc, finishLocker } from '../support/ekyc.js';
import { codeOf, inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { VENDORS, vendors } from '../support/locker-vendors.js';
import { as, logIn, type LoggedIn, verifyBody } from '../support/login.js';
import { runPan, runUsers, WHO } from '../support/operator.js';
import { panBody, postPan, type VerifiedPan, verifyPan } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { startService, type TestService } from '../support/users-app.js';

const PARTNER = 'https://invest.northwind.example';
const BACK = `${PARTNER}/back?step=ekyc`;
const CHECK = issuerPath('aravalli', 'v3/check-status');
const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');
const LOCKER_CHECK = issuerPath('kaveri', 'v3/check-status');

interface User extends LoggedIn {
  readonly api: ApiClient;
}

/**
 * Completes an eKYC on its page, as the person does who opens the link.
 * @returns where the page leads
 */
async function completeOnPage(url: string, outcome = 'verified'): Promise<URL> {
  const { pathname } = new URL(url);
  const page = await fetch(`${sandboxUrl()}${pathname}/${outcome}`, { method: 'POST', redirect: 'manual' });
  expect(page.status).toBe(303);
  return new URL(page.headers.get('location')!, sandboxUrl());
}

const stateIn = (address: URL): string | null => address.searchParams.get('ekyc_state');

async function registerPartner({ dataSource }: TestService): Promise<void> {
  await aPartner(dataSource, { url: PARTNER, keys: ecKeys() });
  await dataSource.query('UPDATE onboarding.partners SET redirect_origins = $2 WHERE url = $1', [
    PARTNER,
    [PARTNER],
  ]);
}

describe('link of an eKYC that somebody else may complete', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    await registerPartner(service);
  });
  afterAll(() => service.close());

  /** @param partner whose app the user logs in to; the usual one has registered no origins */
  const aUser = async (partner?: string, at = service): Promise<User> => {
    const user = await logIn(at);
    if (!partner) return { ...user, api: as(at.api, user) };
    await at.api.post('/auth/register', { phone: user.phone });
    const otp = await codeOf(user.phone);
    const { body } = await at.api.post('/auth/api/v2/register/verify', verifyBody(user.phone, otp, partner));
    return { ...user, api: as(at.api, body.payload as { access_token: string }) };
  };

  const check = async ({ api }: User, body: object = {}, path = CHECK): Promise<EkycStatusPayload> => {
    const response = await api.post(path, body);
    expect(response.status).toBe(200);
    return (response.body as { payload: EkycStatusPayload }).payload;
  };

  const isVerified = async ({ api }: User): Promise<boolean> =>
    ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload.is_pan_verified;

  /**
   * Somebody else has the PAN of HOLDER, who is refused therefore and completes an own eKYC.
   * @returns whether the PAN is the holder's then
   */
  async function getsItBack(holder: User, body: ReturnType<typeof panBody>): Promise<boolean> {
    expectRefusal(await postPan(holder.api, body), PanErrors.belongsToAnotherUser);
    const { ekyc_request_id: id } = await check(holder);
    await finishEkyc(id!, 'verified', undefined, holder.phone);
    await holder.api.post(CHECK, {});
    return isVerified(holder);
  }

  const noticesTo = async (email: string): Promise<string[]> => {
    await service.app.get(DurableCalls).advanceDue(service.app.get(MailNotices));
    return (await inboxOf(email)).filter(({ code }) => code === null).map(({ text }) => text);
  };

  it.each<[what: string, reported: 'no phone' | 'the phone of the holder']>([
    ['without a phone from the provider', 'no phone'],
    ['with the phone of its holder from the provider', 'the phone of the holder'],
  ])('does not give its sender the PAN for good, %s, and tells both by mail', async (_what, reported) => {
    const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
    const [sendersMail, holdersMail] = [anEmail(), anEmail()];
    await verifyEmail(sender.api, sendersMail);
    await verifyEmail(holder.api, holdersMail);
    await verifyPan(sender.api, body);
    const { ekyc_request_id: id } = await check(sender, { redirection_url: BACK });
    await finishEkyc(id!, 'verified', undefined, reported === 'no phone' ? undefined : holder.phone);
    // it counts as long as nobody else proves more
    expect(await check(sender)).toMatchObject({ is_ekyc_verified: true });
    expect(await getsItBack(holder, body)).toBe(true);
    expect(await isVerified(sender)).toBe(false);
    await eventually(async () => {
      const [[lost], [gained]] = [await noticesTo(sendersMail), await noticesTo(holdersMail)];
      expect(lost).toContain('Somebody else has completed an eKYC');
      expect(gained).toContain('has moved your PAN');
    });
    expect((await trailOf(service, sender.user_id)).map(shortOf)).toContain(
      `PAN_RELEASED ${PanErrors.belongsToAnotherUser.code}`,
    );
    // and the sender cannot fix it again with another link that the holder does not open
    expectRefusal(await postPan(sender.api, body), PanErrors.belongsToAnotherUser);
    await check(sender);
    expect(await isVerified(holder)).toBe(true);
  });

  it('gives it back to a holder whose app has begun the next eKYC before the PAN', async () => {
    const [sender, holder, body] = [await aUser(), await aUser(), panBody()];
    await verifyPan(holder.api, body);
    await finishEkyc((await check(holder)).ekyc_request_id!, 'verified');
    expect(await check(holder)).toMatchObject({ is_ekyc_verified: true });
    expectRefusal(await postPan(sender.api, body), PanErrors.belongsToAnotherUser);
    await finishEkyc((await check(sender)).ekyc_request_id!, 'verified');
    await check(sender);
    expect([await isVerified(sender), await isVerified(holder)]).toEqual([true, false]);
    expect(await check(holder)).toMatchObject({ is_ekyc_verified: false, ekyc_status: 'LINK_CREATED' });
    expect(await getsItBack(holder, body)).toBe(true);
  });

  /** A holder whose own phone has completed the eKYC, and the eKYC of another user who claims the PAN. */
  async function aProvedHolder() {
    const [holder, sender, body] = [await aUser(), await aUser(), panBody()];
    await verifyPan(holder.api, body);
    const { ekyc_request_id: own } = await check(holder);
    await finishEkyc(own!, 'verified', undefined, holder.phone);
    await check(holder);
    expectRefusal(await postPan(sender.api, body), PanErrors.belongsToAnotherUser);
    const { ekyc_request_id: sent } = await check(sender);
    return { holder, sender, body, sent };
  }

  it('takes no PAN from a holder whose own phone has completed the eKYC', async () => {
    const { holder, sender, sent } = await aProvedHolder();
    await finishEkyc(sent!, 'verified', undefined, holder.phone);
    const refused = await sender.api.post(CHECK, {});
    expectRefusal(refused, PanErrors.belongsToAnotherUser);
    // as the holder is with another phone, whom only an operator can help
    expect(JSON.stringify(refused.body)).toContain('ask our support');
    expect([await isVerified(holder), await isVerified(sender)]).toEqual([true, false]);
    const claim = `claimed by ${sender.user_id}\theld by ${holder.user_id}\t`;
    expect(await runPan(service, '', 'claims', ...WHO)).toContain(claim);
    const listed = `SELECT actor FROM onboarding.audit_unsealed WHERE action = 'PAN_CLAIMS_LISTED'
      UNION ALL SELECT actor FROM onboarding.audit_events WHERE action = 'PAN_CLAIMS_LISTED'`;
    expect(await service.dataSource.query(listed)).toEqual([{ actor: 'operator:pan claims by asha-rao' }]);
    await runPan(service, '', 'release', '--user', holder.user_id, '--to', sender.user_id, ...WHO);
    expect(await runPan(service, '', 'claims', ...WHO)).not.toContain(claim);
  });

  it('lists no claim whose eKYC is not completed', async () => {
    const { sender } = await aProvedHolder();
    expect(await runPan(service, '', 'claims', ...WHO)).not.toContain(sender.user_id);
  });

  it('does not keep the PAN from a holder whose account was erased, and who opens one again', async () => {
    const { holder, sender, body, sent } = await aProvedHolder();
    await finishEkyc(sent!, 'verified');
    expectRefusal(await sender.api.post(CHECK, {}), PanErrors.belongsToAnotherUser);
    await runUsers(service, '', 'erase', '--user', holder.user_id, ...WHO);
    await check(sender);
    expect(await isVerified(sender)).toBe(true);
    const login = await logIn(service, holder.phone);
    expect(login.is_new_user).toBe(true);
    const back = { ...login, api: as(service.api, login) };
    expect(await getsItBack(back, body)).toBe(true);
    expect(await isVerified(sender)).toBe(false);
  });

  it('gives the PAN for good to a user to whom the browser brings the state back', async () => {
    const [user, namesake, body] = [await aUser(PARTNER), await aUser(), panBody()];
    await verifyPan(user.api, body);
    const { ekyc_url } = await check(user, { redirection_url: BACK });
    const address = await completeOnPage(ekyc_url!);
    expect(address.href).toMatch(/^https:\/\/invest\.northwind\.example\/back\?/);
    expect(address.searchParams.get('step')).toBe('ekyc');
    expect(await check(user, { ekyc_state: stateIn(address) })).toMatchObject({ is_ekyc_verified: true });
    expect(await getsItBack(namesake, body)).toBe(false);
    expect(await isVerified(user)).toBe(true);
  });

  it('lets a user complete it on another device, whose state comes back to nobody', async () => {
    const [user, body] = [await aUser(PARTNER), panBody()];
    await verifyPan(user.api, body);
    const { ekyc_url } = await check(user, { redirection_url: BACK });
    await completeOnPage(ekyc_url!);
    expect(await check(user)).toMatchObject({ is_ekyc_verified: true });
    expect(await isVerified(user)).toBe(true);
  });

  it('takes the state after the outcome, too', async () => {
    const [user, other, body] = [await aUser(PARTNER), await aUser(), panBody()];
    await verifyPan(user.api, body);
    const { ekyc_url } = await check(user, { redirection_url: BACK });
    const state = stateIn(await completeOnPage(ekyc_url!));
    expect(await check(user)).toMatchObject({ is_ekyc_verified: true });
    expect(await check(user, { ekyc_state: state })).toMatchObject({ is_ekyc_verified: true });
    expect(await getsItBack(other, body)).toBe(false);
  });

  it('ignores the state of another request, also of another user', async () => {
    const [sender, holder, body] = [await aUser(PARTNER), await aUser(PARTNER), panBody()];
    await verifyPan(sender.api, body);
    const { ekyc_url: senders } = await check(sender, { redirection_url: BACK });
    const { ekyc_url: holders } = await check(holder, { redirection_url: BACK });
    const anotherState = stateIn(await completeOnPage(holders!, 'failed'));
    // the holder's browser brings the state of the sender's request to the holder's session
    const sendersState = stateIn(await completeOnPage(senders!));
    expect(sendersState).not.toBe(anotherState);
    await check(holder, { ekyc_state: sendersState });
    for (const ekyc_state of [anotherState, '', 'x', null])
      expect(await check(sender, { ekyc_state })).toMatchObject({ is_ekyc_verified: true });
    expect(await getsItBack(holder, body)).toBe(true);
    expect(await isVerified(sender)).toBe(false);
  });

  it('shows the state in no export to the sender, who need not open the page for it', async () => {
    const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
    const { number, dob } = body;
    await verifyPan(sender.api, body);
    const { ekyc_request_id: id, ekyc_url } = await check(sender, { redirection_url: BACK });
    const exported = JSON.stringify(
      (await sender.api.post('/api/v1/user-data-export', { number, dob })).body,
    );
    // nor the link itself
    expect(exported).toContain(id);
    expect(exported).not.toContain(ekyc_url);
    const [, state] = /ekyc_state=([\w-]+)/.exec(exported) ?? [];
    expect(state).toBeUndefined();
    await finishEkyc(id!, 'verified');
    await check(sender, { ekyc_state: state ?? null });
    expect(await getsItBack(holder, body)).toBe(true);
  });

  it.each([42, {}, ['x'], true])('refuses the state %j', async (ekyc_state) => {
    const { api } = await aUser();
    expectRefusal(await api.post(CHECK, { ekyc_state }), GeneralErrors.fieldInvalid);
  });

  it('adds no state to an address that the partner has not registered', async () => {
    const user = await aUser();
    const { ekyc_url } = await check(user, { redirection_url: 'https://anywhere.example/?a=b' });
    expect(stateIn(await completeOnPage(ekyc_url!))).toBeNull();
  });

  it.each(['ekyc_state=theirs', 'ekyc%5Fstate=theirs', 'ekyc_state'])(
    'replaces %s in the address of the app',
    async (theirs) => {
      const user = await aUser(PARTNER);
      const { ekyc_url } = await check(user, { redirection_url: `${BACK}&${theirs}` });
      const address = await completeOnPage(ekyc_url!);
      expect(address.searchParams.getAll('ekyc_state')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    },
  );

  describe('whose sender has ended another page of the request before', () => {
    it.each(['deny', 'another_person', 'expired'])(
      'does not give the sender the PAN for good by the state of a locker that ended with %s',
      async (outcome) => {
        const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
        await verifyPan(sender.api, body);
        const mine = await openLocker(sender);
        const state = stateIn(await completeOnPage(mine.url, outcome));
        expect(state).not.toBeNull();
        // also before anything is proved
        await check(sender, { ekyc_state: state }, LOCKER_CHECK);
        await readLocker(sender, mine);
        const sent = await openLocker(sender);
        expect(sent.session_id).not.toBe(mine.session_id);
        await finishLocker(sent.url, 'allow');
        await readLocker(sender, sent);
        expect(await check(sender, { ekyc_state: state }, LOCKER_CHECK)).toMatchObject({
          is_ekyc_verified: true,
        });
        expect(await getsItBack(holder, body)).toBe(true);
      },
    );

    it.each(['failed', 'expired'])(
      'nor by the state of the hosted page that %s, whose end nobody has read',
      async (outcome) => {
        const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
        await verifyPan(sender.api, body);
        const sent = await openLocker(sender);
        const { ekyc_url } = await check(sender, { redirection_url: BACK }, LOCKER_CHECK);
        const state = stateIn(await completeOnPage(ekyc_url!, outcome));
        await finishLocker(sent.url, 'allow');
        await readLocker(sender, sent);
        await sender.api.post(LOCKER_CHECK, { ekyc_state: state });
        expect(await getsItBack(holder, body)).toBe(true);
      },
    );

    it('nor by the state of a locker, if the hosted page proves it', async () => {
      const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
      await verifyPan(sender.api, body);
      const state = stateIn(await completeOnPage((await openLocker(sender)).url, 'deny'));
      const { ekyc_request_id: id } = await check(sender, {}, LOCKER_CHECK);
      await finishEkyc(id!, 'verified');
      expect(await check(sender, { ekyc_state: state }, LOCKER_CHECK)).toMatchObject({
        is_ekyc_verified: true,
      });
      expect(await getsItBack(holder, body)).toBe(true);
    });
  });

  async function openLocker({ api }: User): Promise<LockerSessionPayload> {
    const opened = await api.post(LOCKER, { consent_checked: true, redirection_url: BACK });
    expect(opened.status).toBe(200);
    return (opened.body as { payload: LockerSessionPayload }).payload;
  }

  const readLocker = ({ api }: User, { session_id }: LockerSessionPayload) =>
    api.get(`${LOCKER}/${session_id}`);

  describe('at a document locker', () => {
    it('returns to the address of the call that asks for the link, beside a session', async () => {
      const user = await aUser(PARTNER);
      await verifyPan(user.api, panBody());
      await user.api.post(LOCKER, {});
      const { ekyc_url: url } = await check(user, { redirection_url: BACK }, LOCKER_CHECK);
      const address = await completeOnPage(url!);
      expect(address.href).toMatch(`${BACK}&`);
      expect(stateIn(address)).not.toBeNull();
    });

    it.each<[by: string, isKept: boolean]>([
      ['nothing', false],
      ['the state', true],
      ['the phone', true],
    ])('keeps the PAN for good by %s: %s', async (by, isKept) => {
      const [user, other, body] = [await aUser(PARTNER), await aUser(), panBody()];
      await verifyPan(user.api, body);
      const opened = await openLocker(user);
      const { url } = opened;
      let state: string | null = null;
      if (by === 'the state') state = stateIn(await completeOnPage(url, 'allow'));
      else await finishLocker(url, 'allow', undefined, by === 'the phone' ? user.phone : undefined);
      await readLocker(user, opened);
      expect(await check(user, { ekyc_state: state }, LOCKER_CHECK)).toMatchObject({
        is_ekyc_verified: true,
      });
      // else the sender would learn something of the Aadhaar of the holder
      const { number, dob } = body;
      const exported = (await user.api.post('/api/v1/user-data-export', { number, dob })).body as {
        payload: UserDataExportPayload;
      };
      const aadhaar = isKept ? { lastFour: expect.stringMatching(/^\d{4}$/) as string } : null;
      expect(exported.payload.data['ekyc_requests']).toMatchObject([{ aadhaar }]);
      expect(await getsItBack(other, body)).toBe(!isKept);
      expect(await isVerified(user)).toBe(isKept);
    });
  });

  describe.each(VENDORS)('at the document locker of %s', (vendor) => {
    let atVendor: TestService;
    beforeAll(async () => {
      atVendor = await startService(vendors(vendor));
      await registerPartner(atVendor);
    });
    afterAll(() => atVendor.close());

    /** Completes the eKYC as the holder of the PAN does. */
    const allow = async (url: string, { full_name: name, dob }: VerifiedPan, phone?: string) =>
      finishLocker(url, 'allow', { name, date_of_birth: dob }, phone);

    it.each<[whose: string, isKept: boolean]>([
      ["the user's", true],
      ["another person's", false],
      ['no', false],
    ])('keeps the PAN for good by %s phone: %s', async (whose, isKept) => {
      const [user, other, body] = [
        await aUser(PARTNER, atVendor),
        await aUser(undefined, atVendor),
        panBody(),
      ];
      const pan = await verifyPan(user.api, body);
      const opened = await openLocker(user);
      const owner = whose === "the user's" ? user : other;
      await allow(opened.url, pan, whose === 'no' ? undefined : owner.phone);
      expect((await readLocker(user, opened)).body.payload).toMatchObject({ is_ekyc_verified: true });
      expect(await check(user, {}, LOCKER_CHECK)).toMatchObject({ is_ekyc_verified: true });
      expect(await getsItBack(other, body)).toBe(!isKept);
      expect(await isVerified(user)).toBe(isKept);
    });

    it('adds no state to the address, since the page may stay open after its return', async () => {
      const user = await aUser(PARTNER, atVendor);
      const address = await completeOnPage((await openLocker(user)).url, 'deny');
      expect(address.searchParams.get('step')).toBe('ekyc');
      expect(stateIn(address)).toBeNull();
    });

    // only the page of Setu is known to lead back while it is open
    if (vendor === 'setu')
      it('does not give the PAN for good to a sender who has cancelled the page that its holder completes', async () => {
        const [sender, holder, body] = [
          await aUser(PARTNER, atVendor),
          await aUser(undefined, atVendor),
          panBody(),
        ];
        const pan = await verifyPan(sender.api, body);
        const { url } = await openLocker(sender);
        const cancelled = await completeOnPage(url, 'cancel');
        expect(cancelled.searchParams.get('success')).toBe('False');
        const sent = await openLocker(sender);
        expect(sent.url).toBe(url);
        await allow(sent.url, pan, holder.phone);
        expect((await readLocker(sender, sent)).body.payload).toMatchObject({ is_ekyc_verified: true });
        await check(sender, { ekyc_state: stateIn(cancelled) }, LOCKER_CHECK);
        expect(await getsItBack(holder, body)).toBe(true);
        expect(await isVerified(sender)).toBe(false);
      });
  });
});
