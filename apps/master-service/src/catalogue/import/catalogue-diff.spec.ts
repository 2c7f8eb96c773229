import { anIssuer, aVehicle } from '../../../test/support/vehicles.js';
import type { Issuer } from '../catalogue.js';
import { checksumOf, diffCatalogues } from './catalogue-diff.js';

const vehicle = aVehicle({ vehicleId: 'v1' });
const issuer = anIssuer({ vehicles: [vehicle] });
const other = anIssuer({ issuerId: 'other', slug: 'other', code: 'OTHER', vehicles: [] });

describe('diffCatalogues', () => {
  it('finds no difference between equal catalogues with another order of keys and vehicles', () => {
    const { quoteSwitches } = issuer;
    const reordered = {
      ...issuer,
      quoteSwitches: Object.fromEntries(
        Object.entries(quoteSwitches).reverse(),
      ) as unknown as typeof quoteSwitches,
      vehicles: [...issuer.vehicles].reverse(),
    };
    const diff = diffCatalogues([issuer, other], [other, reordered]);
    expect(diff).toEqual({
      lines: [],
      rates: [],
      issuers: [],
      vehicles: [],
      removedIssuerIds: [],
      removedVehicleIds: [],
    });
    expect(checksumOf([issuer, other])).toBe(checksumOf([other, reordered]));
  });

  it('names a changed field of an issuer with its old and new value', () => {
    const { lines, issuers, vehicles } = diffCatalogues(
      [issuer],
      [{ ...issuer, seniorBenefit: '0.75', heroTag: 'New' }],
    );
    expect(lines).toEqual([
      '~ testbank: benefits.senior_citizen 0.50 -> 0.75',
      '~ testbank: hero_tag nothing -> New',
    ]);
    expect([issuers.length, vehicles.length]).toEqual([1, 0]);
  });

  it.each([
    ['heroTag', null, 'nothing', 'hero_tag nothing -> "nothing"'],
    ['heroTag', '', '""', 'hero_tag "" -> ""'],
    [
      'payoutFrequencies',
      ['Maturity', 'Monthly'],
      ['Maturity, Monthly'],
      'sells.payout_frequencies Maturity, Monthly -> Maturity, Monthly',
    ],
  ])('finds a change of %s from %j to %j', (field, from, to, change) => {
    const [before, after] = [from, to].map((value) => ({ ...issuer, [field]: value }));
    expect(diffCatalogues([before!], [after!]).lines).toEqual([`~ testbank: ${change}`]);
    expect(checksumOf([before!])).not.toBe(checksumOf([after!]));
  });

  it('names a changed field of a vehicle', () => {
    const changed = { ...vehicle, rate: '7.65', ineffectiveAt: new Date('2027-03-31T18:30:00Z') };
    const { lines, issuers, vehicles } = diffCatalogues([issuer], [{ ...issuer, vehicles: [changed] }]);
    expect(lines).toEqual([
      '~ testbank: Maturity 365 to 1825 days, 5000 to 100000 rupees (v1): rate 7.50 -> 7.65',
      '~ testbank: Maturity 365 to 1825 days, 5000 to 100000 rupees (v1): effective_until nothing -> 2027-04-01T00:00:00+05:30',
    ]);
    expect([issuers, vehicles]).toEqual([[], [changed]]);
  });

  it('names new and removed issuers and vehicles', () => {
    const added = aVehicle({ vehicleId: 'v2', payoutFrequency: 'Monthly', rate: '7.20' });
    expect(diffCatalogues([issuer], [{ ...issuer, vehicles: [added] }])).toMatchObject({
      lines: [
        '+ testbank: Monthly 365 to 1825 days, 5000 to 100000 rupees (v2) at 7.20',
        '- testbank: Maturity 365 to 1825 days, 5000 to 100000 rupees (v1) at 7.50',
      ],
      vehicles: [added],
      removedVehicleIds: ['v1'],
    });
    expect(diffCatalogues([issuer], [other])).toMatchObject({
      lines: ['+ other: new issuer OTHER with 0 vehicles', '- testbank: issuer TESTBANK with 1 vehicle'],
      issuers: [other],
      removedIssuerIds: [issuer.issuerId],
    });
  });

  it('recognises a vehicle that moves to another issuer', () => {
    const moved = { ...vehicle, issuerId: 'other' };
    const { lines, vehicles, removedVehicleIds } = diffCatalogues(
      [issuer],
      [{ ...other, vehicles: [moved] }],
    );
    expect(lines).toContainEqual(
      expect.stringContaining('(v1): issuer 11111111-1111-4111-8111-111111111111 -> other'),
    );
    expect([vehicles, removedVehicleIds]).toEqual([[moved], []]);
  });

  it('finds a change of any single field, and changes the checksum', () => {
    for (const field of Object.keys(issuer).filter((name) => !['issuerId', 'vehicles'].includes(name))) {
      const changed = { ...issuer, [field]: 'changed' };
      expect(diffCatalogues([issuer], [changed]).lines).toHaveLength(1);
      expect(checksumOf([changed])).not.toBe(checksumOf([issuer]));
    }
    for (const field of Object.keys(vehicle).filter((name) => name !== 'vehicleId')) {
      const changed = { ...issuer, vehicles: [{ ...vehicle, [field]: 'changed' }] } as unknown as Issuer;
      expect(diffCatalogues([issuer], [changed]).lines).toHaveLength(1);
      expect(checksumOf([changed])).not.toBe(checksumOf([issuer]));
    }
  });
});
