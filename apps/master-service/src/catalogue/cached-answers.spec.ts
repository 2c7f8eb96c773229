import { gunzipSync } from 'node:zlib';
import { DEFAULT_CONTRACT, PreparedAnswer } from '@fd/envelope';
import fc from 'fast-check';
import { anIssuer, aVehicle } from '../../test/support/vehicles.js';
import { presentDetail } from './issuer.presenter.js';
import { cachedAnswer } from './cached-answers.js';

const instant = fc.integer({ min: 0, max: 20 }).map((hours) => new Date(Date.UTC(2026, 5, 1, hours)));
const vehicle = fc
  .record({ effectiveAt: instant, lastsHours: fc.option(fc.integer({ min: 1, max: 10 })) })
  .map(({ effectiveAt, lastsHours }) =>
    aVehicle({
      effectiveAt,
      ineffectiveAt: lastsHours === null ? null : new Date(effectiveAt.getTime() + lastsHours * 3_600_000),
    }),
  );

const prepared = (payload: object) => new PreparedAnswer(DEFAULT_CONTRACT, payload);

describe('cachedAnswer', () => {
  it('equals the presented answer at any instant, in any order of requests', () => {
    fc.assert(
      fc.property(
        fc.array(vehicle, { maxLength: 5 }),
        fc.array(instant, { minLength: 1, maxLength: 10 }),
        (vehicles, instants) => {
          const issuer = anIssuer({ vehicles });
          for (const at of instants) {
            const { gzip } = cachedAnswer(issuer, vehicles, at, () => prepared(presentDetail(issuer, at)));
            const { payload } = JSON.parse(gunzipSync(gzip).toString()) as { payload: unknown };
            expect(JSON.stringify(payload)).toBe(JSON.stringify(presentDetail(issuer, at)));
          }
        },
      ),
    );
  });

  it('prepares the answer again only at the millisecond at which a vehicle begins or ends', () => {
    const begins = new Date('2026-06-10T12:00:00Z');
    const issuer = anIssuer({ vehicles: [aVehicle(), aVehicle({ effectiveAt: begins })] });
    const present = jest.fn(() => prepared({ some: 'payload' }));
    const askAt = (ms: number) =>
      cachedAnswer(issuer, issuer.vehicles, new Date(begins.getTime() + ms), present);
    askAt(-86_400_000);
    const { tag } = askAt(-1);
    expect(present).toHaveBeenCalledTimes(1);
    expect(askAt(0).tag).toBe(tag);
    expect(present).toHaveBeenCalledTimes(2);
    askAt(86_400_000);
    expect(present).toHaveBeenCalledTimes(2);
  });
});
