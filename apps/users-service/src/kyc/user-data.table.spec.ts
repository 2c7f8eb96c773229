import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { KYC_USER_DATA } from './user-data.table.js';

describe('an exported eKYC', () => {
  const { shown } = KYC_USER_DATA.find(({ entity }) => entity === EkycRequestRow)!;
  const byCode = { method: 'AADHAAR_OTP', status: 'VERIFIED', is_bound: true };

  it.each([
    ['2026-11-30T18:29:59Z', '2027-11-30'],
    ['2026-11-30T18:30:00Z', '2027-12-01'],
    ['2028-02-29T10:00:00Z', '2029-02-28'],
  ])('by an Aadhaar code at %s names the day of the full due diligence: %s', (at, day) => {
    expect(shown!({ ...byCode, settled_at: at })).toMatchObject({ full_kyc_due_on: day });
  });

  it.each([{ method: 'HOSTED' }, { status: 'EXPIRED' }])('with %j names none', (other) => {
    expect(shown!({ ...byCode, settled_at: '2026-11-30T10:00:00Z', ...other })).not.toHaveProperty(
      'full_kyc_due_on',
    );
  });
});
