import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { KYC_USER_DATA } from './user-data.table.js';

describe('an exported eKYC', () => {
  const { shown } = KYC_USER_DATA.find(({ entity }) => entity === EkycRequestRow)!;
  const settled_at = '2026-11-30T10:00:00Z';
  const verified = { id: 'request', status: 'VERIFIED', is_bound: true, settled_at };
  const byCode = { ...verified, method: 'AADHAAR_OTP', page_id: null, aadhaar_transaction: 'code' };
  const onItsPage = { ...byCode, page_id: 'request' };

  it.each([
    ['2026-11-30T18:29:59Z', '2027-11-30'],
    ['2026-11-30T18:30:00Z', '2027-12-01'],
    ['2028-02-29T10:00:00Z', '2029-02-28'],
  ])('by an Aadhaar code at %s names the day of the full due diligence: %s', (at, day) => {
    expect(shown!({ ...byCode, settled_at: at })).toMatchObject({ full_kyc_due_on: day });
  });

  it.each([
    ['a code after the method was HOSTED', { ...byCode, method: 'HOSTED' }],
    ['a code after the method was DIGILOCKER', { ...byCode, method: 'DIGILOCKER' }],
    ['its own page for Aadhaar codes', { ...onItsPage, aadhaar_transaction: null }],
    ['a page for Aadhaar codes that was not recorded', { ...byCode, aadhaar_transaction: null }],
  ])('by %s names the day of the full due diligence', (_what, row) => {
    expect(shown!(row)).toMatchObject({ full_kyc_due_on: '2027-11-30' });
  });

  it.each([
    ['a locker, after a code and for AADHAAR_OTP', { ...byCode, page_id: 'session' }],
    ['its own page for HOSTED, after a code', { ...onItsPage, method: 'HOSTED' }],
    ['a page that was not recorded', { ...byCode, method: 'HOSTED', aadhaar_transaction: null }],
    ['nothing, as it has expired', { ...byCode, status: 'EXPIRED' }],
  ])('by %s names none', (_what, row) => {
    expect(shown!(row)).not.toHaveProperty('full_kyc_due_on');
  });
});
