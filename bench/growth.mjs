// How throughput and latency change as catalogue, people and replicas become more.
import { apiKey } from '../tools/sandbox-data.mjs';
import { answerableQuotes, issuersOf, startMaster } from './catalogue.mjs';
import { loginContenders, startOutside, startUsers } from './login.mjs';
import { details } from './requests.mjs';
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
    const quoteRequests = await answerableQuotes(server, 1_000);
    const detailRequests = details(await issuersOf(server), apiKey.key);
    contenders.push({ name: `quote of ${size}`, server, plan: () => ({ requests: quoteRequests }) });
    contenders.push({ name: `detail of ${size}`, server, plan: () => ({ requests: detailRequests }) });
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
  const contenders = [];
  for (const size of sizes) {
    const names = Array.from({ length: size }, (_, index) => `replica-${size}-${index}`);
    const servers = await Promise.all(names.map((name) => startMaster(stores, { name })));
    const requests = await answerableQuotes(servers[0], 1_000);
    contenders.push({
      name: `quote at ${size}`,
      server: together(`${size} replicas`, servers),
      plan: () => ({ requests }),
    });
  }
  const figures = await inTurns(contenders, { ...options, say });
  await stopAll(contenders);
  return figures;
}

const stopAll = (contenders) =>
  Promise.all([...new Set(contenders.map(({ server }) => server))].map((server) => server.stop()));
