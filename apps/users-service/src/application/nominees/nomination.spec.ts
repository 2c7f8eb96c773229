import type { NominationType } from '@fd/contracts';
import { type AppError, type ErrorDefinition, GeneralErrors, NomineeErrors } from '@fd/errors';
import fc from 'fast-check';
import { isShareMissing, place, type RequestedPlacement } from './nomination.js';
import type { Placement } from './nominee.js';

const requested = (more: Partial<RequestedPlacement> = {}): RequestedPlacement => ({
  type: null,
  share: null,
  priority: null,
  path: '',
  ...more,
});
const sharer = (share: number): Placement => ({ type: 'SIMULTANEOUS', share, priority: null });
const successor = (priority: number): Placement => ({ type: 'SUCCESSIVE', share: 10_000, priority });

/** The error and field with which a placement is refused. */
function refusal(work: () => unknown): [error?: ErrorDefinition, field?: string] {
  try {
    work();
  } catch (error) {
    const [first] = (error as AppError).refusals;
    return [first?.error, first?.field];
  }
  return [];
}

describe('placing nominees', () => {
  it.each([
    ['one gets all', [{}], [], [10_000]],
    ['one may get less', [{ share: 6_000 }], [], [6_000]],
    ['two share', [{ share: 6_000 }, { share: 4_000 }], [], [6_000, 4_000]],
    ['thirds', [{ share: 3_333 }, { share: 3_333 }, { share: 3_334 }], [], [3_333, 3_333, 3_334]],
    ['beside others', [{ share: 4_000 }], [sharer(6_000)], [4_000]],
    ['four', [{ share: 2_500 }, { share: 2_500 }], [sharer(2_500), sharer(2_500)], [2_500, 2_500]],
  ] as const)('assigns shares: %s', (_name, given, others, shares) => {
    expect(place(given.map(requested), others)).toEqual(shares.map(sharer));
  });

  it.each([
    ['without priorities', [{}, {}], [], [1, 2]],
    ['in the requested places', [{ priority: 3 }, { priority: 1 }], [], [3, 1]],
    ['after nominees with a priority', [{}, { priority: 1 }], [], [2, 1]],
    ['after the others', [{}], [successor(1), successor(7)], [8]],
    ['into a gap', [{ priority: 2 }], [successor(1), successor(7)], [2]],
    ['with any requested share', [{ share: 5_000 }, { share: 10_000 }], [], [1, 2]],
  ] as const)('assigns priorities: %s', (_name, given, others, priorities) => {
    const placed = place(
      given.map((one) => requested({ type: 'SUCCESSIVE', ...one })),
      others,
    );
    expect(placed).toEqual(priorities.map(successor));
  });

  it.each([
    ['none said', [null], [], 'SIMULTANEOUS'],
    ['one of two said', [null, 'SUCCESSIVE'], [], 'SUCCESSIVE'],
    ['the others are', [null], [successor(1)], 'SUCCESSIVE'],
  ] as const)('gives all nominees one type: %s', (_name, types, others, type) => {
    const placed = place(
      types.map((one) => requested({ type: one, share: 1_000 })),
      others,
    );
    expect(placed.map((placement) => placement.type)).toEqual(types.map(() => type));
  });

  const two = (first: Partial<RequestedPlacement>, second: Partial<RequestedPlacement>) => [
    requested({ path: 'nominees.0.', ...first }),
    requested({ path: 'nominees.1.', ...second }),
  ];
  const four = [sharer(100), sharer(100), sharer(100), sharer(100)];
  it.each([
    ['a fifth', [requested({ share: 100 })], four, NomineeErrors.tooMany, undefined],
    ['five at once', Array.from({ length: 5 }, () => requested()), [], NomineeErrors.tooMany, undefined],
    [
      '60 and 60',
      two({ share: 6_000 }, { share: 6_000 }),
      [],
      NomineeErrors.sharesExceeded,
      'nominees.1.share_percentage',
    ],
    ['all and all', two({}, {}), [], NomineeErrors.sharesExceeded, 'nominees.1.share_percentage'],
    ['all beside others', [requested()], [sharer(100)], NomineeErrors.sharesExceeded, 'share_percentage'],
    [
      'a hundredth too much',
      [requested({ share: 4_001 })],
      [sharer(6_000)],
      NomineeErrors.sharesExceeded,
      'share_percentage',
    ],
    [
      'two types at once',
      two({ type: 'SIMULTANEOUS' }, { type: 'SUCCESSIVE' }),
      [],
      GeneralErrors.fieldInvalid,
      'nominees.1.nomination_type',
    ],
    [
      'another type',
      [requested({ type: 'SUCCESSIVE' })],
      [sharer(100)],
      GeneralErrors.fieldInvalid,
      'nomination_type',
    ],
    [
      'another type',
      [requested({ type: 'SIMULTANEOUS' })],
      [successor(1)],
      GeneralErrors.fieldInvalid,
      'nomination_type',
    ],
    [
      'a place twice',
      two({ type: 'SUCCESSIVE', priority: 2 }, { priority: 2 }),
      [],
      GeneralErrors.fieldInvalid,
      'nominees.1.priority',
    ],
    [
      'a place that is taken',
      [requested({ priority: 1 })],
      [successor(1)],
      GeneralErrors.fieldInvalid,
      'priority',
    ],
  ] as const)('refuses %s', (_name, given, others, error, field) => {
    expect(refusal(() => place(given, others))).toEqual([error, field]);
  });

  it('never assigns more than 100 % or a position twice, for any input', () => {
    const any = fc.record({
      type: fc.option(fc.constantFrom<NominationType>('SIMULTANEOUS', 'SUCCESSIVE'), { nil: null }),
      share: fc.option(fc.integer({ min: 100, max: 10_000 }), { nil: null }),
      priority: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
      path: fc.constant(''),
    });
    fc.assert(
      fc.property(fc.array(fc.array(any, { minLength: 1, maxLength: 5 }), { maxLength: 6 }), (calls) => {
        let placed: Placement[] = [];
        for (const call of calls) {
          const before = placed;
          if (refusal(() => (placed = [...before, ...place(call, before)])).length > 0) placed = before;
        }
        expect(placed.length).toBeLessThanOrEqual(4);
        expect(new Set(placed.map(({ type }) => type)).size).toBeLessThanOrEqual(1);
        const sharers = placed.filter(({ type }) => type === 'SIMULTANEOUS');
        expect(sharers.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(10_000);
        const places = placed.filter(({ type }) => type === 'SUCCESSIVE').map(({ priority }) => priority);
        expect(new Set(places).size).toBe(places.length);
        expect(places.every((priority) => priority !== null && priority >= 1)).toBe(true);
      }),
    );
  });
});

describe('isShareMissing', () => {
  it.each([
    ['nobody', [], false],
    ['one of all', [sharer(10_000)], false],
    ['one of less', [sharer(9_999)], true],
    ['thirds', [sharer(3_333), sharer(3_333), sharer(3_334)], false],
    ['thirds that leave a hundredth', [sharer(3_333), sharer(3_333), sharer(3_333)], true],
    ['successive ones', [successor(1), successor(2)], false],
  ] as const)('judges whether a share is missing: %s', (_name, nominees, isMissing) => {
    expect(isShareMissing(nominees)).toBe(isMissing);
  });
});
