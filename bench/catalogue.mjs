// master-service beside bare servers that answer the same bytes.
import { fileURLToPath } from 'node:url';
import { apiKey } from '../tools/dev/sandbox-data.mjs';
import { details, quotes, same } from './requests.mjs';
import { inTurns } from './rounds.mjs';
import { startServer, startService } from './server.mjs';
import { environmentOf, recordAnswer } from './stores.mjs';

const bare = fileURLToPath(new URL('servers/bare.mjs', import.meta.url));

/** Starts master-service on DATABASE, which has the usual catalogue unless it has been given more. */
export async function startMaster(stores, { database = 'master', ...options } = {}) {
  const env = await environmentOf('master-service', stores, { database });
  return startService('master-service', { env, folder: stores.folder, ...options });
}

/** Issuers as SERVER lists them: [{ uuid, code, frequencies }]. */
export async function issuersOf(server) {
  const answer = await fetch(`${server.url}/api/v1/issuers`, { headers: { apikey: apiKey.key } });
  const { payload } = await answer.json();
  return payload.issuers.map(({ f_issuer_id, f_code, payout_frequencies }) => {
    return { uuid: f_issuer_id, code: f_code, frequencies: payout_frequencies };
  });
}

/** Quotes that SERVER gives, of all that customers may ask for. */
async function answerableQuotes(server, count) {
  const asked = quotes(await issuersOf(server), apiKey.key, 2 * count);
  const given = [];
  for (const request of asked) {
    if (given.length === count) break;
    const answer = await fetch(server.url + request.path, { headers: request.headers });
    const { byteLength } = await answer.arrayBuffer();
    if (answer.ok) given.push({ ...request, answerBytes: byteLength });
  }
  return given;
}

/** Of REQUESTS the one whose answer has as many bytes as most: what a bare server is to answer. */
const middling = (requests) =>
  requests.toSorted((one, other) => one.answerBytes - other.answerBytes)[requests.length >> 1];

export async function startBare(kind, file, { folder, redisUrl }, name = kind) {
  const env = { NODE_ENV: 'production', REDIS_URL: redisUrl };
  return startServer(name, bare, { args: [kind, file], env, folder, ready: '/same' });
}

/** Quotes and details that MASTER gives, as contenders (see rounds.mjs), each with one request as an example of all. */
export async function catalogueContenders(master, suffix = '') {
  const quoteRequests = await answerableQuotes(master, 1_000);
  const detailRequests = details(await issuersOf(master), apiKey.key);
  const asked = (name, requests, example) => {
    return { name: name + suffix, server: master, plan: () => ({ requests }), example };
  };
  return [
    asked('quote', quoteRequests, middling(quoteRequests)),
    asked('detail', detailRequests, detailRequests[0]),
  ];
}

export async function measureCatalogue({ stores, say, ...options }) {
  const master = await startMaster(stores);
  const servers = [master];
  const ours = await catalogueContenders(master);
  const contenders = [...ours];
  for (const { name: what, example } of ours) {
    const file = await recordAnswer(master, example, stores.folder, what);
    for (const kind of ['http', 'express', 'nest']) {
      const server = await startBare(kind, file, stores, `${kind}-${what}`);
      servers.push(server);
      contenders.push({ name: `${kind}-${what}`, server, plan: () => ({ requests: same() }) });
    }
  }
  const figures = await inTurns(contenders, { ...options, say });
  await Promise.all(servers.map((server) => server.stop()));
  return figures;
}
