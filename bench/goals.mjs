// The goals: ratios of contenders within a round, and figures of single servers.
import { ratio, spread } from './measure.mjs';

const atLeast = (least) => ({ goal: `at least ${least}`, isMet: (value) => value >= least });
const atMost = (most, unit = '') => ({ goal: `at most ${most}${unit}`, isMet: (value) => value <= most });
const number = (value) => spread([value]);

const CALLS = {
  quote: 'catalogue',
  detail: 'catalogue',
  register: 'login',
  verify: 'login',
  profile: 'login',
  pan: 'login',
};
const OTHERS = { nest: 'of a bare NestJS route', floor: 'of the floor' };

const cost = (call, other, most) => ({
  part: CALLS[call],
  what: `processor time of ${call}, ${OTHERS[other]}`,
  value: (figures) => ratio(figures[call], figures[`${other}-${call}`], 'cpuMicros'),
  ...atMost(most),
});
const rate = (call, least) => ({
  part: 'login',
  what: `${call} calls a second, of those of the peer`,
  value: (login) => ratio(login[call], login[`peer-${call}`], 'perSecond'),
  ...atLeast(least),
});
const allocation = (call, most) => ({
  part: 'allocation',
  what: `KiB allocated for a ${call}`,
  value: (allocated) => number(allocated[call]),
  ...atMost(most, ' KiB'),
});
const tail = (call) => ({
  part: CALLS[call],
  what: `p99 of ${call} at 70 % load, relative to its p50`,
  value: (figures) => figures[call].steady?.p99OfP50,
  ...atMost(5),
});
const growth = (part, call, [least, most], name) => ({
  part: 'growth',
  what: `processor time of ${call} with ${most.toLocaleString('en')} ${name}, of that with ${least.toLocaleString('en')}`,
  value: ({ [part]: figures }) =>
    figures[`${call} of ${most}`] &&
    ratio(figures[`${call} of ${most}`], figures[`${call} of ${least}`], 'cpuMicros'),
  ...atMost(1.2),
});
const memory = (service, part, most) => ({
  part,
  what: `MiB of ${service} at saturation`,
  value: (figures) =>
    number(Math.max(...Object.keys(CALLS).map((call) => figures[call]?.memoryMiB.max ?? 0))),
  ...atMost(most, ' MiB'),
});
const start = (service, most) => ({
  part: 'starts',
  what: `ms from the start of ${service} until it is ready`,
  value: (starts) => starts[service].readyMs,
  ...atMost(most, ' ms'),
});

/** { part, what, value(figures of the part), goal, isMet(median) }; a value is a spread, undefined if not measured. */
export const goals = [
  cost('register', 'nest', 2.5),
  cost('register', 'floor', 1.8),
  rate('register', 2.5),
  cost('verify', 'nest', 3.3),
  cost('verify', 'floor', 2),
  rate('verify', 4),
  cost('profile', 'nest', 2.3),
  cost('profile', 'floor', 1.9),
  cost('pan', 'nest', 3.8),
  cost('quote', 'nest', 1.4),
  cost('quote', 'floor', 1.4),
  cost('detail', 'nest', 1.1),
  cost('detail', 'floor', 1.1),
  allocation('register', 120),
  allocation('verify', 200),
  allocation('profile', 100),
  allocation('pan', 220),
  allocation('quote', 80),
  ...Object.keys(CALLS).map(tail),
  ...['quote', 'detail'].map((call) => growth('issuers', call, [5, 5_000], 'issuers')),
  {
    part: 'growth',
    what: 'MiB of master-service with 5,000 issuers',
    value: ({ issuers }) =>
      issuers['quote of 5000'] &&
      number(Math.max(...['quote', 'detail'].map((call) => issuers[`${call} of 5000`].memoryMiB.max))),
    ...atMost(250, ' MiB'),
  },
  ...['register', 'verify', 'profile', 'pan'].map((call) =>
    growth('people', call, [10_000, 10_000_000], 'people'),
  ),
  start('users-service', 1_500),
  start('master-service', 1_500),
  memory('users-service', 'login', 180),
  memory('master-service', 'catalogue', 180),
  {
    part: 'computing',
    what: 'us to compute a quote',
    value: ({ quoteMicros }) => quoteMicros,
    ...atMost(30, ' us'),
  },
];

/** The goals with figures in RESULTS: { what, goal, is: { median, min, max }, isMet }. */
export const judged = (results) =>
  goals.flatMap(({ part, what, value, goal, isMet }) => {
    const is = results[part] && value(results[part]);
    return is ? [{ what, goal, is, isMet: isMet(is.median) }] : [];
  });
