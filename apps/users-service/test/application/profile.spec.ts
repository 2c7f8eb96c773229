import type { UserProfilePayload } from '@fd/contracts';
import { SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal, inParallel } from '@fd/testing';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { sandboxUrl } from '../support/sandbox.config.js';
import { startService, type TestService } from '../support/users-app.js';

const PATH = '/api/v1/user-profile';

describe('GET /api/v1/user-profile', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const profileOf = async (api: ApiClient): Promise<UserProfilePayload> => {
    const response = await api.get(PATH);
    expect(response.status).toBe(200);
    return (response.body as { payload: UserProfilePayload }).payload;
  };

  it('returns every key for a new user, with null, false and no nominees', async () => {
    const { api, user_id, user } = await aUser();
    expect(await profileOf(api)).toEqual({
      user_id,
      phone: user.phone,
      email: null,
      pan: null,
      full_name: null,
      first_name: null,
      middle_name: null,
      last_name: null,
      father_name: null,
      dob: null,
      is_pan_verified: false,
      is_ekyc_verified: false,
      is_email_verified: false,
      is_bank_verified: false,
      bank: null,
      nominees_count: 0,
    });
  });

  it('returns the identity and the masked PAN once the PAN is verified', async () => {
    const { api } = await aUser();
    const pan = await verifyPan(api);
    expect(await profileOf(api)).toMatchObject({
      pan: pan.pan,
      full_name: pan.full_name,
      first_name: pan.first_name,
      middle_name: pan.middle_name,
      last_name: pan.last_name,
      father_name: pan.father_name,
      dob: pan.dob,
      is_pan_verified: true,
    });
  });

  it('returns the masked bank account once the bank has confirmed it', async () => {
    const { api } = await aUser();
    const { full_name } = await verifyPan(api);
    const account = anAccount();
    const body = { account, ifsc: 'HDFC0001234', account_holder_full_name: full_name };
    const answer = await api.post('/api/v1/bank/sync-to-issuer', body, { query: { issuer_code: 'ARAVFIN' } });
    expect(answer.status).toBe(200);
    expect(await profileOf(api)).toMatchObject({
      is_bank_verified: true,
      bank: {
        account: `${'X'.repeat(account.length - 4)}${account.slice(-4)}`,
        ifsc: 'HDFC0001234',
        bank_name: expect.any(String) as string,
      },
    });
  });

  it('returns is_ekyc_verified as true once the eKYC for one issuer is verified', async () => {
    const { api } = await aUser();
    await verifyPan(api);
    const checkStatus = () => api.post('/issuer-apis/aravalli/v3/check-status', {});
    const { ekyc_request_id } = ((await checkStatus()).body as { payload: { ekyc_request_id: string } })
      .payload;
    expect((await profileOf(api)).is_ekyc_verified).toBe(false);
    await fetch(`${sandboxUrl()}/api/ekyc/${ekyc_request_id}/outcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcome: 'verified' }),
    });
    await checkStatus();
    expect((await profileOf(api)).is_ekyc_verified).toBe(true);
  });

  it('returns the number of nominees', async () => {
    const { api } = await aUser();
    const nominee = { name: 'Meera Rao', relationship: 'MOTHER' };
    expect((await api.post('/api/v1/user-nominee', nominee)).status).toBe(201);
    expect((await profileOf(api)).nominees_count).toBe(1);
  });

  it('agrees with the next login that the PAN is verified', async () => {
    const { api, phone, user } = await aUser();
    expect(user.is_pan_verified).toBe(false);
    await verifyPan(api);
    expect((await logIn(service, phone)).user).toMatchObject({ is_pan_verified: true });
  });

  it('does not return the data of another user', async () => {
    const [{ api }, other] = [await aUser(), await aUser()];
    await verifyPan(api);
    expect(await profileOf(other.api)).toMatchObject({ user_id: other.user_id, pan: null, full_name: null });
  });

  it('rejects a call without an access token', async () => {
    expectRefusal(await service.api.get(PATH), SessionErrors.tokenMissing);
  });

  it('completes the HOME step, and records it once for concurrent calls', async () => {
    const { api, user_id } = await aUser();
    const journey = service.app.get(JourneyRepository);
    expect((await journey.statesOf(user_id)).HOME).toBeUndefined();
    await inParallel(3, () => api.get(PATH));
    await api.get(PATH);
    expect((await journey.statesOf(user_id)).HOME).toEqual({ state: 'DONE', reason: null });
    const events: unknown[] = await service.dataSource.query(
      "SELECT 1 FROM onboarding.journey_events WHERE user_id = $1 AND step = 'HOME'",
      [user_id],
    );
    expect(events).toHaveLength(1);
  });
});
