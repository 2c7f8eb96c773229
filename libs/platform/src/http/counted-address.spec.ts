import { countedAddress, countedNetwork, countedProvider } from './counted-address.js';

describe('countedAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['2001:db8:1:2:3:4:203.0.113.7', '2001:db8:1:2::/64'],
  ])('counts %s as %s', (ip, name) => {
    expect(countedAddress(ip)).toBe(name);
  });

  it.each([
    undefined,
    '',
    'unknown',
    '_hidden',
    '203.0.113.7:4711',
    '[2001:db8::1]',
    '1'.repeat(5_000),
    '::g',
  ])('maps %j to one shared address', (ip) => {
    expect(countedAddress(ip)).toBe('unknown');
  });
});

describe('countedNetwork and countedProvider', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24', '203.0.0.0/16'],
    ['::ffff:203.0.113.7', '203.0.113.0/24', '203.0.0.0/16'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8::/32'],
    ['2001:0DB8::9', '2001:db8:0::/48', '2001:db8::/32'],
    ['_hidden', 'unknown', 'unknown'],
    [undefined, 'unknown', 'unknown'],
  ])('counts %s as network %s and provider %s', (ip, network, provider) => {
    expect([countedNetwork(ip), countedProvider(ip)]).toEqual([network, provider]);
  });
});
