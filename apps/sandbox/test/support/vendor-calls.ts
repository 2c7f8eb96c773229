import { randomUUID } from 'node:crypto';
import request, { type Response } from 'supertest';
import type { Sandbox } from './sandbox.js';

const SETU = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'product' };
const CASHFREE = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-api-version': '2024-12-01' };
const REASON = 'To verify the PAN of a depositor';
const PAGE = 'https://app.partner.example/back';

/** Calls of the vendors of SANDBOX, and calls that read an Aadhaar. */
export function vendorCalls(sandbox: Sandbox) {
  const post = (path: string, headers: Record<string, string>, body: object) =>
    request(sandbox.baseUrl).post(`/vendors/${path}`).set(headers).send(body);
  const get = (path: string, headers: Record<string, string>, query: object = {}) =>
    request(sandbox.baseUrl).get(`/vendors/${path}`).set(headers).query(query);
  const setuPan = (pan: string) =>
    post('setu/api/verify/pan', SETU, { pan, consent: 'Y', reason: REASON }).expect(200);
  const end = (kind: 'locker' | 'ekyc', id: string, outcome: string) =>
    request(sandbox.baseUrl).post(`/api/${kind}/${id}/outcome`).send({ outcome }).expect(200);

  /** Calls that carry the last digits of a phone, a PAN or an account; each is another vendor's. */
  const CALLS: Readonly<Record<string, (digits: string) => PromiseLike<Response>>> = {
    'SMS over MSG91': (digits) =>
      post(
        'msg91/api/v5/flow',
        { authkey: 'key' },
        {
          template_id: 'login_otp',
          recipients: [{ mobiles: `91981234${digits}`, code: '493027' }],
        },
      ),
    'SMS over Twilio': (digits) =>
      request(sandbox.baseUrl)
        .post(`/vendors/twilio/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`)
        .auth('AC', 'token')
        .type('form')
        .send({ To: `+91981234${digits}`, From: 'FDEPOS', Body: '493027 is your code.' }),
    'PAN over Cashfree': (digits) => post('cashfree/verification/pan', CASHFREE, { pan: `ABCPR${digits}K` }),
    'PAN over Setu': (digits) =>
      post('setu/api/verify/pan', SETU, { pan: `ABCPR${digits}K`, consent: 'Y', reason: REASON }),
    'account over Cashfree': (digits) =>
      post('cashfree/verification/bank-account/async', CASHFREE, {
        bank_account: `50100012${digits}`,
        ifsc: 'HDFC0001234',
      }),
    'account over Setu': (digits) =>
      post('setu/api/verify/ban/async', SETU, { accountNumber: `50100012${digits}`, ifsc: 'HDFC0001234' }),
  };

  /** Opens a locker or link after a look-up of the PAN, and ends it. Returns the call that reads its Aadhaar. */
  const READS: Readonly<Record<string, (pan: string) => Promise<() => PromiseLike<Response>>>> = {
    'locker over Setu': async (pan) => {
      await setuPan(pan);
      const { body } = await post('setu/api/digilocker', SETU, { redirectUrl: PAGE });
      await end('locker', (body.url as string).split('/').at(-1)!, 'allow');
      return () => get(`setu/api/digilocker/${body.id as string}/aadhaar`, SETU);
    },
    'locker over Cashfree': async (pan) => {
      await setuPan(pan);
      const verification_id = randomUUID();
      const { body } = await post('cashfree/verification/digilocker', CASHFREE, {
        verification_id,
        document_requested: ['AADHAAR'],
        redirect_url: PAGE,
      });
      await end('locker', (body.url as string).split('/').at(-1)!, 'allow');
      return () => get('cashfree/verification/digilocker/document/AADHAAR', CASHFREE, { verification_id });
    },
    'KYC link of Cashfree': async (pan) => {
      await setuPan(pan);
      const verification_id = randomUUID();
      await post('cashfree/verification/form', CASHFREE, {
        verification_id,
        phone: '9876543210',
        template_name: 'Aadhaar_verification',
        link_expiry: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
      }).expect(200);
      await end('ekyc', verification_id, 'verified');
      const { body } = await get('cashfree/verification/form', CASHFREE, { verificationID: verification_id });
      const [{ reference_id }] = body.verification_details as [{ reference_id: number }];
      return () => get('cashfree/verification/digilocker/document/AADHAAR', CASHFREE, { reference_id });
    },
  };
  return { CALLS, READS };
}
