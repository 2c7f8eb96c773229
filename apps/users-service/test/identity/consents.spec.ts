import { randomUUID } from 'node:crypto';
import type { ConsentsPayload, GivenConsent } from '@fd/contracts';
import { ConsentErrors, GeneralErrors, PanErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { as, logIn, verifyBody } from '../support/login.js';
import { codeOf } from '../support/inbox.js';
import { panBody, aPan, postPan, verifyPan } from '../support/pan.js';
import { aPartner } from '../support/partner.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/api/v1/consents';

describe('consents', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const list = async (api: ApiClient): Promise<GivenConsent[]> => {
    const response = await api.get(PATH);
    expect(response.status).toBe(200);
    return (response.body as { payload: ConsentsPayload }).payload.consents;
  };
  const purposesOf = async (api: ApiClient) => (await list(api)).map(({ purpose }) => purpose);
  const withdraw = (api: ApiClient, id: string) => api.post(`${PATH}/${encodeURIComponent(id)}/withdraw`, {});

  it('are listed with what was agreed to, when and through whom', async () => {
    const { api } = await aUser();
    expect(await list(api)).toEqual([
      {
        consent_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        purpose: 'TERMS_OF_USE',
        notice_version: '2026-11',
        given_at: expect.any(String) as string,
        withdrawn_at: null,
        partner_url: 'https://app.partner.example',
      },
    ]);
    await verifyPan(api);
    expect(await purposesOf(api)).toEqual(['PAN_VERIFICATION', 'TERMS_OF_USE']);
  });

  it('are on record before the PAN registry is asked, whatever it answers', async () => {
    const { api } = await aUser();
    expectRefusal(await postPan(api, panBody(aPan({ digits: '0404' }))), PanErrors.notFound);
    expect(await purposesOf(api)).toEqual(['PAN_VERIFICATION', 'TERMS_OF_USE']);
  });

  it('are not recorded when they were not given', async () => {
    const { api } = await aUser();
    expectRefusal(await postPan(api, { ...panBody(), consent_checked: false }), ConsentErrors.refused);
    expect(await purposesOf(api)).toEqual(['TERMS_OF_USE']);
  });

  it('that live are not recorded again by further logins and calls', async () => {
    const { phone, api } = await aUser();
    const body = panBody();
    await verifyPan(api, body);
    const before = await list(api);
    const again = await logIn(service, phone);
    await verifyPan(as(service.api, again), body);
    expect(await list(api)).toEqual(before);
  });

  it('are recorded for each partner through whom they were given', async () => {
    const url = 'https://second.partner.example';
    await aPartner(service.dataSource, { url });
    const { phone, api } = await aUser();
    await service.api.post('/auth/register', { phone });
    await service.api.post('/auth/api/v2/register/verify', verifyBody(phone, await codeOf(phone), url));
    expect((await list(api)).map(({ partner_url }) => partner_url)).toEqual([
      url,
      'https://app.partner.example',
    ]);
  });

  it('can be withdrawn once, and given again', async () => {
    const { api } = await aUser();
    const body = panBody();
    await verifyPan(api, body);
    const [given] = await list(api);
    const response = await withdraw(api, given!.consent_id);
    expect({ status: response.status, body: response.body as object }).toMatchObject({
      status: 200,
      body: { success: 1, payload: { ...given, withdrawn_at: expect.any(String) as string } },
    });
    expectRefusal(await withdraw(api, given!.consent_id), GeneralErrors.recordUnknown);
    await verifyPan(api, body);
    const [first, , last] = await list(api);
    expect(first).toMatchObject({ purpose: 'PAN_VERIFICATION', withdrawn_at: null });
    expect(last).toEqual((response.body as { payload: GivenConsent }).payload);
    expect(first!.consent_id).not.toBe(given!.consent_id);
  });

  it('are withdrawn once by 8 calls at the same time', async () => {
    const { api } = await aUser();
    const [{ consent_id }] = (await list(api)) as [GivenConsent];
    const responses = await Promise.all(Array.from({ length: 8 }, () => withdraw(api, consent_id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
  });

  it('of another user, unknown ones and no ids at all are answered alike', async () => {
    const [me, stranger] = [await aUser(), await aUser()];
    const [theirs] = await list(stranger.api);
    for (const id of [theirs!.consent_id, randomUUID(), 'nothing', "1' OR '1'='1"]) {
      expectRefusal(await withdraw(me.api, id), GeneralErrors.recordUnknown);
    }
    expect(await list(stranger.api)).toEqual([theirs]);
  });

  it('need a token', async () => {
    expectRefusal(await service.api.get(PATH), SessionErrors.tokenMissing);
    expectRefusal(await withdraw(service.api, randomUUID()), SessionErrors.tokenMissing);
  });

  it('are kept without the address from which they were given', async () => {
    const { user_id } = await aUser();
    const rows = await service.dataSource.query<{ ip: number; row: string }[]>(
      'SELECT octet_length(ip_hash) AS ip, c::text AS row FROM onboarding.consents c WHERE user_id = $1',
      [user_id],
    );
    expect(rows[0]?.ip).toBe(32);
    expect(rows[0]?.row).not.toContain('127.0.0.1');
  });
});
