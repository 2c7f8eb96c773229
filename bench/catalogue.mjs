// Compares master-service with bare routes and the hand-written floor, which answer the same bytes.
import { apiKey } from '../tools/dev/sandbox-data.mjs';
import { details, quotes, repeated, same } from './requests.mjs';
import { inTurns } from './rounds.mjs';
import { script, startServer, startService } from './server.mjs';
import { answerTo, environmentOf, writeJson } from './stores.mjs';

/** Starts master-service on DATABASE, with the usual catalogue unless it was grown. */
export async function startMaster(stores, { database = 'master', ...options } = {}) {
  const env = await environmentOf('master-service', stores, { database });
  return startService('master-service', { env, folder: stores.folder, ...options });
}

/** Issuers of SERVER: [{ uuid, code, frequencies }]. */
async function issuersOf(server) {
  const answer = await fetch(`${server.url}/api/v1/issuers`, { headers: { apikey: apiKey.key } });
  const { payload } = await answer.json();
  return payload.issuers.map(({ f_issuer_id, f_code, payout_frequencies }) => {
    return { uuid: f_issuer_id, code: f_code, frequencies: payout_frequencies };
  });
}

/** COUNT realistic quotes that SERVER gives, with their answers. */
async function answeredQuotes(server, count) {
  const given = [];
  for (const request of quotes(await issuersOf(server), apiKey.key, 2 * count)) {
    if (given.length === count) break;
    const answer = await answerTo(server, request).catch(() => undefined);
    if (answer) given.push({ ...request, answer });
  }
  return given;
}

/** The request with the median length of answers: a bare server answers this one. */
const middling = (requests) =>
  requests.toSorted((one, other) => one.answer.body.length - other.answer.body.length)[requests.length >> 1];

/** A bare NestJS route that answers ANSWER, as a contender. */
export async function startBare(name, method, answer, { folder }) {
  const args = [writeJson(folder, name, answer)];
  const env = { NODE_ENV: 'production' };
  const server = await startServer(name, script('bare'), { args, env, folder, ready: '/same' });
  return { name, server, plan: (count) => ({ requests: repeated(same(method), count) }) };
}

/** Quotes and details of MASTER, as contenders (see rounds.mjs). */
export async function catalogueContenders(master, named = (name) => name) {
  const asked = {
    quote: await answeredQuotes(master, 1_000),
    detail: details(await issuersOf(master), apiKey.key),
  };
  return Object.entries(asked).map(([name, all]) => {
    const requests = all.map(({ path, headers }) => ({ path, headers }));
    return {
      name: named(name),
      server: master,
      plan: (count) => ({ requests: repeated(requests, count) }),
      all,
    };
  });
}

/** The floor with the answers to CONTENDER's requests, as a contender. @throws Error unless it answers the same bytes */
async function startFloor({ name: what, plan, all }, { folder }) {
  const name = `floor-${what}`;
  const { headers } = all[0].answer;
  const bodies = Object.fromEntries(all.map(({ path, answer }) => [path, answer.body]));
  const env = {
    NODE_ENV: 'production',
    ANSWERS: writeJson(folder, name, { apiKeys: [apiKey.key], headers, bodies }),
  };
  const server = await startServer(name, script('floor'), { args: ['catalogue'], env, folder });
  for (const request of all) {
    const { body } = await answerTo(server, request);
    if (body !== request.answer.body) throw new Error(`${name} answers other bytes: ${request.path}`);
  }
  return { name, server, plan };
}

export async function measureCatalogue({ stores, say, ...options }) {
  const master = await startMaster(stores);
  const contenders = [];
  for (const ours of await catalogueContenders(master)) {
    for (const request of ours.all) request.answer ??= await answerTo(master, request);
    const bare = await startBare(`nest-${ours.name}`, 'GET', middling(ours.all).answer, stores);
    contenders.push(ours, bare, await startFloor(ours, stores));
  }
  // they take a tenth of the time of a login
  const requests = 4 * options.requests;
  const figures = await inTurns(contenders, { ...options, requests, say });
  const servers = new Set(contenders.map(({ server }) => server));
  await Promise.all([...servers].map((server) => server.stop()));
  return figures;
}
