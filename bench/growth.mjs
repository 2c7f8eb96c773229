// How throughput and latency change with more issuers, people and replicas.
import { catalogueContenders, startMaster } from './catalogue.mjs';
import { loginContenders, startOutside, startUsers } from './login.mjs';
import { inTurns } from './rounds.mjs';
import { growCatalogue, seedPeople } from './seed.mjs';
import { together } from './server.mjs';

const ISSUERS = [5, 5_000];
const PEOPLE = [10_000, 10_000_000];
const REPLICAS = [1, 2, 3];
/** Fewer rounds: ratios of sizes vary less than the goals allow, and creating people takes minutes. */
const MOST_ROUNDS = 3;
/** Smaller sizes for a quick run. */
const QUICK = { issuers: [5, 500], people: [1_000, 10_000], replicas: [1, 2] };

export async function measureGrowth(options) {
  const given = { ...options, rounds: Math.min(options.rounds, MOST_ROUNDS) };
  const sizes = given.isQuick ? QUICK : { issuers: ISSUERS, people: PEOPLE, replicas: REPLICAS };
  return {
    issuers: await byIssuers(sizes.issuers, given),
    people: await byPeople(sizes.people, given),
    replicas: await byReplicas(sizes.replicas, given),
  };
}

async function byIssuers(sizes, { stores, say, ...options }) {
  const contenders = [];
  for (const size of sizes) {
    const database = `issuers_${size}`;
    const name = `master-${size}`;
    // prepares the database
    await (await startMaster(stores, { name, database })).stop();
    if (size > 5) await growCatalogue(await stores.databaseUrl(database), size);
    const server = await startMaster(stores, { name, database });
    contenders.push(...(await catalogueContenders(server, (call) => `${call} of ${size}`)));
  }
  const figures = await inTurns(besideEachOther(contenders), { ...options, say });
  await stopAll(contenders);
  return figures;
}

async function byPeople(sizes, { stores, say, ...options }) {
  const contenders = [];
  const outsides = [];
  for (const size of sizes) {
    const database = `people_${size}`;
    const name = `users-${size}`;
    const outside = await startOutside(stores, `outside-${size}`);
    outsides.push(outside);
    await (await startUsers(stores, outside, { name, database })).stop();
    say(`making ${size} people`);
    await seedPeople(await stores.databaseUrl(database), size);
    const server = await startUsers(stores, outside, { name, database });
    contenders.push(...loginContenders(server, outside, (call) => `${call} of ${size}`));
  }
  const figures = await inTurns(besideEachOther(contenders), { ...options, say });
  await stopAll(contenders);
  await Promise.all(outsides.map((outside) => outside.stop()));
  return figures;
}

async function byReplicas(sizes, { stores, say, ...options }) {
  const contenders = [];
  const outsides = [];
  for (const size of sizes) {
    const outside = await startOutside(stores, `outside-${size}`);
    outsides.push(outside);
    const masters = await replicas(size, (name) => startMaster(stores, { name: `master-${name}` }));
    const users = await replicas(size, (name) => startUsers(stores, outside, { name: `users-${name}` }));
    const named = (name) => `${name} at ${size}`;
    const [quote] = await catalogueContenders(together('master-service', masters), named);
    const calls = loginContenders(together('users-service', users), outside, named).slice(0, 3);
    contenders.push(quote, ...calls);
  }
  const figures = await inTurns(besideEachOther(contenders), { ...options, say });
  await stopAll(contenders);
  await Promise.all(outsides.map((outside) => outside.stop()));
  return figures;
}

/** Starts COUNT servers by START(name), one after the other: the first prepares the database. */
async function replicas(count, start) {
  const servers = [];
  while (servers.length < count) servers.push(await start(`replica-${count}-${servers.length}`));
  return servers;
}

/** Interleaves sizes by call: register of each, then verify of each. */
const besideEachOther = (contenders) => {
  const callOf = ({ name }) => name.split(' ')[0];
  return [...new Set(contenders.map(callOf))].flatMap((call) =>
    contenders.filter((contender) => callOf(contender) === call),
  );
};

const stopAll = (contenders) =>
  Promise.all([...new Set(contenders.map(({ server }) => server))].map((server) => server.stop()));
