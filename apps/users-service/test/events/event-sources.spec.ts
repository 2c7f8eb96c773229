import type { GivenConsent } from '@fd/contracts';
import { PanErrors } from '@fd/errors';
import { type ApiClient, eventually } from '@fd/testing';
import { finishEkyc } from '../support/ekyc.js';
import { briefly, EventReceiver, listen } from '../support/event-receiver.js';
import { aPhone } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { aNominee, nominate, nomineesOf, postNominee } from '../support/nominees.js';
import { runPan, runUsers, WHO } from '../support/operator.js';
import { panBody, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { startService, type TestService } from '../support/users-app.js';

const OTHER = 'https://invest.northwind.example';
/** Gets no events. */
const QUIET = 'https://quiet.partner.example';

describe('events about an account of another partner', () => {
  let service: TestService;
  let [first, other]: EventReceiver[] = [];
  beforeAll(async () => {
    service = await startService({ EVENTS_TO_LOCAL_ADDRESSES: 'true', SEPARATE_PARTNERS: 'true' });
    [first, other] = [await EventReceiver.start(), await EventReceiver.start()];
    for (const url of [OTHER, QUIET]) await aPartner(service.dataSource, { url });
    await listen(service, { address: first.url });
    await listen(service, { url: OTHER, address: other.url });
  });
  afterAll(async () => {
    await service.close();
    await first!.stop();
    await other!.stop();
  });

  const toldTo = (receiver: EventReceiver | undefined, id: string) => receiver!.of(id).map(briefly);
  const status = async (api: ApiClient) => {
    const { body } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
    return (body as { payload: { ekyc_request_id: string } }).payload.ekyc_request_id;
  };
  /** A user with a PAN, and a confirmed session with the other partner. */
  const twoPartners = async (share_with_partner: boolean, url = OTHER) => {
    const phone = aPhone();
    const owner = await logIn(service, phone);
    const api = as(service.api, owner);
    const { number, dob } = await verifyPan(api, panBody());
    const there = as(service.api, await logIn(service, phone, url));
    await there.post('/api/v1/account-confirmation', { number, dob, share_with_partner });
    return { id: owner.user_id, api, there };
  };
  const withdrawSharing = async (api: ApiClient): Promise<void> => {
    const { body } = await api.get('/api/v1/consents');
    const { consents } = (body as { payload: { consents: GivenConsent[] } }).payload;
    const sharing = consents.find(({ purpose }) => purpose === 'PARTNER_SHARING');
    await api.post(`/api/v1/consents/${sharing!.consent_id}/withdraw`, {});
  };

  it('go to the first partner alone without sharing, also of what is read in the other app', async () => {
    const { id, there } = await twoPartners(false);
    await there.get('/api/v1/user-profile');
    await eventually(() => expect(toldTo(first, id)).toContain('journey.step.completed HOME DONE'));
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(first, id).at(-1)).toBe('user.blocked'));
    expect(toldTo(other, id)).toEqual([]);
  });

  it('tell a block to no partner with which the account is no longer shared, but an erasure', async () => {
    const { id, api } = await twoPartners(true);
    await withdrawSharing(api);
    await runUsers(service, '', 'block', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(first, id).at(-1)).toBe('user.blocked'));
    await runUsers(service, '', 'unblock', '--user', id, ...WHO);
    await runUsers(service, '', 'erase', '--user', id, ...WHO);
    await eventually(() => expect(toldTo(other, id).at(-1)).toBe('user.erased'));
    expect(toldTo(other, id)).not.toContain('user.blocked');
  });

  it('go to the partner with which a step was begun, whoever looks at it', async () => {
    const { id, api, there } = await twoPartners(true);
    const request = await status(api);
    await finishEkyc(request, 'verified');
    await status(there);
    await eventually(() => expect(toldTo(first, id)).toContain('ekyc.verified ARAVFIN EKYC DONE'));
    expect(toldTo(other, id).filter((told) => !told.startsWith('consent'))).toEqual([]);
  });

  it('go to the first partner again once the sharing is withdrawn', async () => {
    const { id, api, there } = await twoPartners(true);
    const { body } = await postNominee(there, aNominee());
    const { nominees } = (body as { payload: { nominees: [{ nominee_id: string }] } }).payload;
    await eventually(() => expect(toldTo(other, id)).toContain('journey.step.completed NOMINEE DONE'));
    await withdrawSharing(api);
    await eventually(() => expect(toldTo(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING'));
    await api.delete(`/api/v1/user-nominee/${nominees[0].nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(toldTo(first, id)).toContain(reopened));
    expect(toldTo(other, id).at(-1)).toBe('consent.withdrawn PARTNER_SHARING');
  });

  it('go to the first partner once the sharing with one is withdrawn that gets no events', async () => {
    const { id, api, there } = await twoPartners(true, QUIET);
    await nominate(there);
    await withdrawSharing(api);
    await api.delete(`/api/v1/user-nominee/${(await nomineesOf(api)).nominees[0]!.nominee_id}`);
    const reopened = 'journey.step.reopened NOMINEE NOT_STARTED';
    await eventually(() => expect(toldTo(first, id)).toContain(reopened));
    expect(toldTo(first, id)).not.toContain('journey.step.completed NOMINEE DONE');
  });

  it('go to the partner with which a PAN was begun, also if another app completes it', async () => {
    const phone = aPhone();
    const owner = await logIn(service, phone);
    const { user_id: id } = owner;
    const { number, dob } = await verifyPan(as(service.api, owner), panBody());
    const there = as(service.api, await logIn(service, phone, QUIET));
    await there.post('/api/v1/account-confirmation', { number, dob, share_with_partner: true });
    await runPan(service, '', 'release', '--user', id, ...WHO);
    // as a look-up of the first app that still runs
    const running = `UPDATE onboarding.journey_steps SET state = 'IN_PROGRESS', reason = $2 WHERE user_id = $1 AND step = 'PAN'`;
    await service.dataSource.query(running, [id, PanErrors.pending.code]);
    await verifyPan(there, panBody());
    await eventually(() =>
      expect(toldTo(first, id).filter((told) => told === 'pan.verified PAN DONE')).toHaveLength(2),
    );
  });

  it('go to the partner with which nominees were named, whichever app changes them', async () => {
    const { id, api, there } = await twoPartners(true);
    const half = aNominee({ share_percentage: 50 });
    const { nominee_id } = await nominate(api, half);
    await nominate(there, half);
    await there.put(
      `/api/v1/user-nominee/${nominee_id}`,
      aNominee({ name: 'Asha Rao', share_percentage: 50 }),
    );
    await there.delete(`/api/v1/user-nominee/${nominee_id}`);
    const changed = (told: readonly string[]) => told.filter((event) => event === 'nominee.changed NOMINEE');
    await eventually(() => expect(changed(toldTo(first, id))).toHaveLength(3));
    expect(changed(toldTo(other, id))).toEqual([]);
  });
});
