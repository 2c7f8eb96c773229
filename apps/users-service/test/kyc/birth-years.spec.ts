import type { EkycStatusPayload, UserProfilePayload } from '@fd/contracts';
import { PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { anAadhaar } from '../support/ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

const HOSTED = issuerPath('sahyadri', 'v3/check-status');
const AADHAAR = issuerPath('sahyadri', 'v1/aadhaar-ekyc');
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();

describe('eKYC by a document with only the year of birth', () => {
  /** Plays the provider of hosted eKYC and that of Aadhaar codes. */
  let provider: ScriptedProvider;
  let service: TestService;
  /** The holder of every document. */
  let holder: object;
  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    const answers: [path: RegExp, status: number, body: () => object][] = [
      [/verify$/, 200, () => ({ reference_id: 'r-1', last_four: '1234', holder })],
      [
        /otp$/,
        200,
        () => ({
          transaction_id: 't-1',
          masked_mobile: null,
          expires_at: IN_AN_HOUR,
          resend_after_seconds: 0,
        }),
      ],
      [/requests$/, 201, () => ({ url: 'https://ekyc.example/r-1', expires_at: IN_AN_HOUR })],
      [/close$/, 200, () => ({ state: 'closed' })],
      [/requests\/[^/]+$/, 200, () => ({ state: 'verified', holder })],
    ];
    provider.behaviour = (response) => {
      const [, status, body] = answers.find(([path]) => path.test(response.req.url!))!;
      answersJson(status, body())(response);
    };
    service = await startService({ EKYC_URL: provider.url, AADHAAR_URL: provider.url });
  });
  afterAll(async () => {
    await service.close();
    await provider.stop();
  });

  const isVerified = async (api: ApiClient): Promise<boolean> => {
    const { body } = await api.get('/api/v1/user-profile');
    return (body as { payload: UserProfilePayload }).payload.is_ekyc_verified;
  };

  const byHostedPage = (api: ApiClient) =>
    eventually(async () => {
      const { body } = await api.post(HOSTED, {});
      expect((body as { payload: EkycStatusPayload }).payload.is_ekyc_verified).toBe(true);
    });

  const byAadhaarCode = async (api: ApiClient) => {
    const asked = { aadhaar_number: anAadhaar(), consent_checked: true };
    const { body } = await api.post(`${AADHAAR}/send-otp`, asked);
    const { ekyc_request_id } = (body as { payload: { ekyc_request_id: string } }).payload;
    const checked = await api.post(`${AADHAAR}/verify-otp`, { ekyc_request_id, otp: '123456' });
    expect(checked.status).toBe(200);
  };

  it.each([
    ['on the hosted page', byHostedPage],
    ['by an Aadhaar code', byAadhaarCode],
  ])('verifies the user %s, and gives way to the holder who proves the full date', async (_way, prove) => {
    const [namesake, owner] = [as(service.api, await logIn(service)), as(service.api, await logIn(service))];
    const body = panBody();
    const { full_name: name } = await verifyPan(namesake, body);
    holder = { name, date_of_birth: null, year_of_birth: body.dob.slice(0, 4) };
    await prove(namesake);
    expect(await isVerified(namesake)).toBe(true);
    expectRefusal(await postPan(owner, body), PanErrors.belongsToAnotherUser);
    holder = { name, date_of_birth: body.dob };
    await byHostedPage(owner);
    expect([await isVerified(namesake), await isVerified(owner)]).toEqual([false, true]);
  });
});
