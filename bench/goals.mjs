// The goals: ratios of contenders within a round, and memory. Those of growth only after `--only=growth`.
import { ratio, spread } from './measure.mjs';

const SERVICES = {
  'users-service': { part: 'login', calls: ['register', 'verify', 'profile', 'pan'] },
  'master-service': { part: 'catalogue', calls: ['quote', 'detail'] },
};

const OTHERS = { floor: 'of the floor', earlier: 'of the earlier build' };

const cost = (part, call, other, most) => ({
  part,
  what: `processor time of ${call}, ${OTHERS[other]}`,
  value: ({ [call]: ours, [`${other}-${call}`]: theirs }) => theirs && ratio(ours, theirs, 'cpuMicros'),
  most,
});
/** Of a call whose partner listens to events, of the same call without. */
const withEvents = (call, most) => ({
  part: 'login',
  what: `processor time of ${call} with events, of that without`,
  value: ({ [call]: without, [`events-${call}`]: ours }) => ours && ratio(ours, without, 'cpuMicros'),
  most,
});
const memory = (service, most) => ({
  part: SERVICES[service].part,
  what: `MiB of ${service} at saturation`,
  value: (figures) => {
    const mib = Math.max(...SERVICES[service].calls.map((call) => figures[call].memoryMiB.max));
    return spread([mib]);
  },
  most,
});

/** Processor time with MOST issuers or people, of that with LEAST. */
const growth = (of, call, [least, most]) => ({
  part: 'growth',
  what: `processor time of ${call} with ${most.toLocaleString('en')} ${of}, of that with ${least.toLocaleString('en')}`,
  value: ({ [of]: { [`${call} of ${most}`]: many, [`${call} of ${least}`]: few } }) =>
    many && few && ratio(many, few, 'cpuMicros'),
  most: 1.2,
});

/** { part, what, value(figures of the part), most }; a value is a spread, undefined if not measured. */
export const goals = [
  cost('login', 'register', 'floor', 1.5),
  cost('login', 'verify', 'floor', 1.3),
  cost('login', 'profile', 'floor', 0.9),
  cost('catalogue', 'quote', 'floor', 2.6),
  cost('catalogue', 'detail', 'floor', 1.9),
  cost('login', 'pan', 'earlier', 1.25),
  withEvents('verify', 1.15),
  memory('users-service', 230),
  memory('master-service', 210),
  ...SERVICES['users-service'].calls.map((call) => growth('people', call, [10_000, 10_000_000])),
  ...SERVICES['master-service'].calls.map((call) => growth('issuers', call, [5, 5_000])),
];

/** The goals with figures in RESULTS: { what, goal, is: { median, min, max }, isMet }. */
export const judged = (results) =>
  goals.flatMap(({ part, what, value, most }) => {
    const is = results[part] && value(results[part]);
    return is ? [{ what, goal: `at most ${most}`, is, isMet: is.median <= most }] : [];
  });
