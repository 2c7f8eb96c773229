import { Registry } from 'prom-client';
import { settings } from '../../../test/support/settings.js';
import { usersConfig } from '../../config/index.js';
import { KeyedHash } from '../../core/index.js';
import { OtpAbuseLimits } from './otp-abuse-limits.js';

describe('OtpAbuseLimits', () => {
  const { otp, pii } = usersConfig(settings());
  const limits = new OtpAbuseLimits(otp, new KeyedHash(pii.indexSecret), new Registry());
  const phone = { purpose: 'login', value: '919812345678' } as const;

  it('counts logins without an address as those of one address', () => {
    const counts = limits.countsOf(phone);
    expect(counts.map(({ by }) => by)).toEqual(
      limits.countsOf({ ...phone, ip: '198.51.100.7' }).map(({ by }) => by),
    );
    expect(counts).toEqual(limits.countsOf({ ...phone, ip: 'unknown' }));
  });

  it('limits no mails', () => {
    expect(limits.countsOf({ purpose: 'email', value: 'asha@example.com', userId: 'u' })).toEqual([]);
  });
});
