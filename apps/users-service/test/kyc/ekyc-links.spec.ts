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
import { as, logIn, type LoggedIn, verifyBody } from '../support/login.js';
import { runUsers, WHO } from '../support/operator.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
import { aPartner, ecKeys } from '../support/partner.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { startService, type TestService } from '../support/users-app.js';

const PARTNER = 'https://invest.northwind.example';
const BACK = `${PARTNER}/back?step=ekyc`;
const CHECK = issuerPath('aravalli', 'v3/check-status');
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

describe('link of an eKYC that somebody else may complete', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    await aPartner(service.dataSource, { url: PARTNER, keys: ecKeys() });
    await service.dataSource.query('UPDATE onboarding.partners SET redirect_origins = $2 WHERE url = $1', [
      PARTNER,
      [PARTNER],
    ]);
  });
  afterAll(() => service.close());

  /** @param partner whose app the user logs in to; the usual one has registered no origins */
  const aUser = async (partner?: string): Promise<User> => {
    const user = await logIn(service);
    if (!partner) return { ...user, api: as(service.api, user) };
    await service.api.post('/auth/register', { phone: user.phone });
    const otp = await codeOf(user.phone);
    const { body } = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(user.phone, otp, partner),
    );
    return { ...user, api: as(service.api, body.payload as { access_token: string }) };
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

  it('replaces a state in the address of the app', async () => {
    const user = await aUser(PARTNER);
    const { ekyc_url } = await check(user, { redirection_url: `${BACK}&ekyc_state=theirs` });
    const address = await completeOnPage(ekyc_url!);
    expect(address.searchParams.getAll('ekyc_state')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  describe('whose sender has ended another page of the request before', () => {
    const LOCKER = issuerPath('kaveri', 'v1/document-locker/session');
    const openAt = async ({ api }: User) => {
      const { body } = await api.post(LOCKER, { consent_checked: true, redirection_url: BACK });
      return body.payload as LockerSessionPayload;
    };
    const readAt = ({ api }: User, { session_id }: LockerSessionPayload) =>
      api.get(`${LOCKER}/${session_id}`);

    it.each(['deny', 'another_person', 'expired'])(
      'does not give the sender the PAN for good by the state of a locker that ended with %s',
      async (outcome) => {
        const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
        await verifyPan(sender.api, body);
        const mine = await openAt(sender);
        const state = stateIn(await completeOnPage(mine.url, outcome));
        expect(state).not.toBeNull();
        // also before anything is proved
        await check(sender, { ekyc_state: state }, LOCKER_CHECK);
        await readAt(sender, mine);
        const sent = await openAt(sender);
        expect(sent.session_id).not.toBe(mine.session_id);
        await finishLocker(sent.url, 'allow');
        await readAt(sender, sent);
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
        const sent = await openAt(sender);
        const { ekyc_url } = await check(sender, { redirection_url: BACK }, LOCKER_CHECK);
        const state = stateIn(await completeOnPage(ekyc_url!, outcome));
        await finishLocker(sent.url, 'allow');
        await readAt(sender, sent);
        await sender.api.post(LOCKER_CHECK, { ekyc_state: state });
        expect(await getsItBack(holder, body)).toBe(true);
      },
    );

    it('nor by the state of a locker, if the hosted page proves it', async () => {
      const [sender, holder, body] = [await aUser(PARTNER), await aUser(), panBody()];
      await verifyPan(sender.api, body);
      const state = stateIn(await completeOnPage((await openAt(sender)).url, 'deny'));
      const { ekyc_request_id: id } = await check(sender, {}, LOCKER_CHECK);
      await finishEkyc(id!, 'verified');
      expect(await check(sender, { ekyc_state: state }, LOCKER_CHECK)).toMatchObject({
        is_ekyc_verified: true,
      });
      expect(await getsItBack(holder, body)).toBe(true);
    });
  });

  describe('at a document locker', () => {
    async function openLocker({ api }: User): Promise<LockerSessionPayload> {
      const opened = await api.post(issuerPath('kaveri', 'v1/document-locker/session'), {
        consent_checked: true,
        redirection_url: BACK,
      });
      expect(opened.status).toBe(200);
      return (opened.body as { payload: LockerSessionPayload }).payload;
    }

    it.each<[by: string, isKept: boolean]>([
      ['nothing', false],
      ['the state', true],
      ['the phone', true],
    ])('keeps the PAN for good by %s: %s', async (by, isKept) => {
      const [user, other, body] = [await aUser(PARTNER), await aUser(), panBody()];
      await verifyPan(user.api, body);
      const { url, session_id: id } = await openLocker(user);
      let state: string | null = null;
      if (by === 'the state') state = stateIn(await completeOnPage(url, 'allow'));
      else await finishLocker(url, 'allow', undefined, by === 'the phone' ? user.phone : undefined);
      await user.api.get(issuerPath('kaveri', `v1/document-locker/session/${id}`));
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
});
