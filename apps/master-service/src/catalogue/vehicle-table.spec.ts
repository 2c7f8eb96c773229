import { anIssuer, aVehicle } from '../../test/support/vehicles.js';
import type { Vehicle } from './catalogue.js';
import { presentDetail } from './issuer.presenter.js';
import { VehicleTable } from './vehicle-table.js';

function tableOf(vehicles: readonly Vehicle[]): VehicleTable {
  const table = new VehicleTable();
  vehicles.forEach((vehicle) => table.add(vehicle));
  table.seal();
  return table;
}

const FIRST = 'aaaaaaaa-0000-4000-8000-00000000000a';
const SECOND = 'bbbbbbbb-0000-4000-8000-00000000000b';
const FIELDS = Object.keys(aVehicle()) as (keyof Vehicle)[];

/** All fields of a vehicle or a row. */
const read = (vehicle: Vehicle) => Object.fromEntries(FIELDS.map((field) => [field, vehicle[field]]));

describe('VehicleTable', () => {
  it('returns every field of each vehicle, by issuer in the order of insertion', () => {
    const begins = new Date('2026-06-10T12:00:00Z');
    const ofFirst = [
      aVehicle({ issuerId: FIRST, rank: 1, ineffectiveAt: begins, isSeniorOnly: true }),
      aVehicle({ issuerId: FIRST, rank: null, effectiveAt: begins, details: '' }),
    ];
    const ofSecond = [aVehicle({ issuerId: SECOND, payoutFrequency: 'Monthly', rate: '7.40' })];
    const table = tableOf([...ofFirst, ...ofSecond]);
    expect([...table.ofIssuer(FIRST)].map(read)).toEqual(ofFirst);
    expect([...table.ofIssuer(SECOND)].map(read)).toEqual(ofSecond);
    expect([...table.ofIssuer('nobody')]).toEqual([]);
  });

  it('presents an issuer like an array of vehicles', () => {
    const issuer = anIssuer({ issuerId: FIRST, vehicles: [aVehicle({ rank: 2 }), aVehicle({ rank: 1 })] });
    const at = new Date('2026-06-10T12:00:00Z');
    const table = tableOf(issuer.vehicles.map((vehicle) => ({ ...vehicle, issuerId: FIRST })));
    const listed = { ...issuer, vehicles: table.ofIssuer(FIRST) };
    const expected = {
      ...issuer,
      vehicles: [...listed.vehicles].map((row) => read(row) as unknown as Vehicle),
    };
    expect(presentDetail(listed, at)).toEqual(presentDetail(expected, at));
  });

  it.each([255, 256, 257, 65_540])(
    'distinguishes %d different values of a field, also when they recur',
    (count) => {
      const vehicle = aVehicle({ issuerId: FIRST });
      const vehicles = Array.from({ length: count + 300 }, (_, row) => ({
        ...vehicle,
        maxInvestment: row % count,
        rank: row % 3,
      }));
      const rows = [...tableOf(vehicles).ofIssuer(FIRST)];
      expect(rows).toHaveLength(vehicles.length);
      expect(rows.every((row, index) => row.maxInvestment === index % count && row.rank === index % 3)).toBe(
        true,
      );
    },
  );
});
