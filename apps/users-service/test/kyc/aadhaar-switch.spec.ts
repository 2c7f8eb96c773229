import { AadhaarErrors, JourneyErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { anAadhaar, finishEkyc } from '../support/ekyc.js';
import { codeOf, inboxOf } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const SEND = issuerPath('sahyadri', 'v1/aadhaar-ekyc/send-otp');
const VERIFY = issuerPath('sahyadri', 'v1/aadhaar-ekyc/verify-otp');
const STATUS = issuerPath('sahyadri', 'v3/check-status');
const LOCKER = issuerPath('sahyadri', 'v1/document-locker/session');
const JOURNEY = issuerPath('sahyadri', 'v1/journey');

describe('EKYC_METHODS', () => {
  let usual: TestService;
  beforeAll(async () => {
    usual = await startService();
  });
  afterAll(() => usual.close());

  const methodsIn = ({ payload }: { payload: Record<string, unknown> }): unknown =>
    (payload['steps'] as { step: string; ekyc_methods?: string[] }[]).map((step) => [
      step.step,
      step.ekyc_methods,
    ]);

  it("uses each issuer's method from its file by default, and shows it in the journey", async () => {
    const me = as(usual.api, await logIn(usual));
    const { body } = await me.get(JOURNEY);
    expect(methodsIn(body)).toEqual(
      expect.arrayContaining([
        ['EKYC', ['AADHAAR_OTP']],
        ['PAN', undefined],
      ]),
    );
    expectRefusal(
      await me.post(issuerPath('aravalli', 'v1/aadhaar-ekyc/send-otp'), {
        aadhaar_number: anAadhaar(),
        consent_checked: true,
      }),
      JourneyErrors.stepNotOffered,
    );
  });

  it.each(['HOSTED', 'DIGILOCKER'])('replaces Aadhaar OTP and its provider by %s', async (method) => {
    const EKYC_METHODS = `sahyadri=${method}`;
    const replica = await usual.replica({ EKYC_METHODS, AADHAAR_URL: '', AADHAAR_API_KEY: '' });
    const user = await logIn(usual);
    await verifyPan(as(usual.api, user));
    // starts with a code at a replica without the new setting
    const aadhaar = anAadhaar();
    const sent = await as(usual.api, user).post(SEND, { aadhaar_number: aadhaar, consent_checked: true });
    const { ekyc_request_id } = sent.body.payload;
    const me = as(replica.api, user);
    const other = anAadhaar();
    expectRefusal(
      await me.post(SEND, { aadhaar_number: other, consent_checked: true }),
      AadhaarErrors.switchedOff,
    );
    expect(await inboxOf(other)).toEqual([]);
    expectRefusal(
      await me.post(issuerPath('aravalli', 'v1/aadhaar-ekyc/send-otp'), {
        aadhaar_number: other,
        consent_checked: true,
      }),
      JourneyErrors.stepNotOffered,
    );
    const checked = await me.post(VERIFY, { ekyc_request_id, otp: await codeOf(aadhaar) });
    expectRefusal(checked, AadhaarErrors.switchedOff);
    expect(checked.body.error![0]!.f_error_message).toContain(`Use ${method}.`);
    expect(methodsIn((await me.get(JOURNEY)).body)).toEqual(expect.arrayContaining([['EKYC', [method]]]));
    const { body } = await me.post(STATUS, {});
    expect(body.payload).toMatchObject({ ekyc_method: method, is_ekyc_verified: false });
    const opened = await me.post(LOCKER, { consent_checked: true });
    if (method === 'DIGILOCKER') expect(opened.status).toBe(200);
    else expectRefusal(opened, JourneyErrors.stepNotOffered);
    // the same request completes with the new method
    await finishEkyc(body.payload.ekyc_request_id as string, 'verified');
    expect((await me.post(STATUS, {})).body.payload).toMatchObject({
      is_ekyc_verified: true,
      ekyc_method: method,
    });
  });
});
