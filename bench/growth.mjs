// How throughput and latency change as catalogue, people and replicas become more.
import { catalogueContenders, startMaster } from './catalogue.mjs';
import { loginContenders, startOutside, startUsers } from './login.mjs';
import { inTurns } from './rounds.mjs';
import { growCatalogue, seedPeople } from './seed.mjs';
import { together } from './server.mjs';

const ISSUERS = [5, 500, 5_000];
const PEOPLE = [10_000, 1_000_000, 10_000_000];
const REPLICAS = [1, 2, 3];
/** A quick run is to end soon. */
const QUICK = { issuers: [5, 500], people: [1_000, 10_000], replicas: [1, 2] };

export async function measureGrowth(given) {
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
    contenders.push(...(await catalogueContenders(server, ` of ${size}`)));
  }
  const figures = await inTurns(contenders, { ...options, say });
  await stopAll(contenders);
  return figures;
}

async function byPeople(sizes, { stores, say, ...options }) {
  const outside = await startOutside(stores);
  const contenders = [];
  for (const size of sizes) {
    const database = `people_${size}`;
    const name = `users-${size}`;
    await (await startUsers(stores, outside, { name, database })).stop();
    say(`making ${size} people`);
    await seedPeople(await stores.databaseUrl(database), size);
    contenders.push(
      ...loginContenders(await startUsers(stores, outside, { name, database }), outside, ` of ${size}`),
    );
  }
  const figures = await inTurns(contenders, { ...options, say });
  await stopAll(contenders);
  await outside.stop();
  return figures;
}

async function byReplicas(sizes, { stores, say, ...options }) {
  const outside = await startOutside(stores);
  const contenders = [];
  for (const size of sizes) {
    const masters = await replicas(size, (name) => startMaster(stores, { name: `master-${name}` }));
    const users = await replicas(size, (name) => startUsers(stores, outside, { name: `users-${name}` }));
    const [quote] = await catalogueContenders(together('master-service', masters), ` at ${size}`);
    const [register, verify, profile] = loginContenders(
      together('users-service', users),
      outside,
      ` at ${size}`,
    );
    contenders.push(quote, register, verify, profile);
  }
  const figures = await inTurns(contenders, { ...options, say });
  await stopAll(contenders);
  await outside.stop();
  return figures;
}

/** COUNT servers that START(name) starts, one after another: the first prepares the database. */
async function replicas(count, start) {
  const servers = [];
  while (servers.length < count) servers.push(await start(`replica-${count}-${servers.length}`));
  return servers;
}

const stopAll = (contenders) =>
  Promise.all([...new Set(contenders.map(({ server }) => server))].map((server) => server.stop()));
