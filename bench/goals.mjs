// What is aimed at, as ratios within one run.

const speed = (figures) => figures.perSecond.median;

const atLeast = (wanted) => ({ wanted: `at least ${wanted}`, isMet: (value) => value >= wanted });
const atMost = (wanted, unit = '') => ({
  wanted: `at most ${wanted}${unit}`,
  isMet: (value) => value <= wanted,
});

const growth = (of, sizes, what) => {
  const [least, most] = [sizes.at(0), sizes.at(-1)];
  return of[`${what} of ${most}`].cpuMicros.median / of[`${what} of ${least}`].cpuMicros.median;
};

/** { what, value(results), wanted, isMet(value) }; value is a ratio unless the name has a unit. */
export const goals = [
  {
    what: 'quotes a second, of those of a bare NestJS route with the same bytes',
    value: ({ catalogue }) => speed(catalogue.quote) / speed(catalogue['nest-quote']),
    ...atLeast(0.8),
  },
  {
    what: 'issuer details a second, of those of a bare NestJS route with the same bytes',
    value: ({ catalogue }) => speed(catalogue.detail) / speed(catalogue['nest-detail']),
    ...atLeast(0.8),
  },
  {
    what: 'codes sent a second, of the answers of a bare NestJS route with two round trips to Redis',
    value: ({ login }) => speed(login.register) / speed(login['nest-redis']),
    ...atLeast(0.5),
  },
  {
    what: "codes sent a second, of the peer's",
    value: ({ login }) => speed(login.register) / speed(login['peer-send']),
    ...atLeast(1),
  },
  {
    what: "codes checked a second, of the peer's",
    value: ({ login }) => speed(login.verify) / speed(login['peer-verify']),
    ...atLeast(1),
  },
  {
    what: 'microseconds to compute a quote',
    value: ({ computing }) => computing.quoteMicros.median,
    ...atMost(30, ' us'),
  },
  ...['quote', 'detail'].map((what) => ({
    what: `processor time of a ${what} with 5,000 issuers, of that with 5`,
    value: ({ growth: { issuers } }) => growth(issuers, [5, 5_000], what),
    ...atMost(1.2),
  })),
  ...['register', 'verify', 'profile', 'pan'].map((what) => ({
    what: `processor time of ${what} with 10 million people, of that with 10 thousand`,
    value: ({ growth: { people } }) => growth(people, [10_000, 10_000_000], what),
    ...atMost(1.2),
  })),
  ...['users-service', 'master-service'].map((service) => ({
    what: `milliseconds from the start of ${service} until it is ready`,
    value: ({ starts }) => starts[service].readyMs.median,
    ...atMost(2_000, ' ms'),
  })),
  {
    what: 'MiB of memory of users-service when it does as much as it can',
    value: ({ login }) =>
      Math.max(...['register', 'verify', 'profile', 'pan'].map((name) => login[name].memoryMiB.max)),
    ...atMost(200, ' MiB'),
  },
  {
    what: 'MiB of memory of master-service when it does as much as it can',
    value: ({ catalogue }) => Math.max(catalogue.quote.memoryMiB.max, catalogue.detail.memoryMiB.max),
    ...atMost(200, ' MiB'),
  },
];
