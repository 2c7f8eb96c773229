// Puts load on one server, as a separate process. Reads a plan as JSON from standard input:
//   { urls, requests: [{ method, path, headers, body }], once, connections, seconds, perSecond, retryMs, collect }
// urls: replicas, used round robin.
// Without perSecond each connection sends its next request after an answer. With perSecond requests leave at a fixed rate,
// independent of answers, and latency counts from the time when they were due.
// retryMs: without perSecond, a connection waits this long after a 503 and repeats its request, as a client does.
// once: sends no request twice and ends early when all are sent. collect: a path in the answers' JSON
// (`payload.access_token`) whose values are returned.
// Prints { seconds, statuses, errors, ms and onConnectionMs: { p50, p99, p999 } of successes, collected }. onConnectionMs counts from when
// a request was begun on its connection: without the lateness of this process, which shares the processors.
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const plan = JSON.parse(await text(process.stdin));
const pools = plan.urls.map(
  (url) => new Pool(url, { connections: Math.ceil(plan.connections / plan.urls.length), pipelining: 1 }),
);

const statuses = {};
const ms = [];
const onConnectionMs = [];
const collected = [];
let errors = 0;
let next = 0;
let turn = 0;

function nextRequest() {
  if (plan.once && next >= plan.requests.length) return undefined;
  return plan.requests[next++ % plan.requests.length];
}

const valueAt = (json, path) => path.split('.').reduce((value, name) => value?.[name], json);

/**
 * Resolves with the status when the answer is complete; 0: no answer. Uses the client's lowest layer, without streams, to leave
 * the processor to the server.
 */
function exchange({ method = 'GET', path, headers, body }) {
  const pool = pools[turn++ % pools.length];
  let status = 0;
  let begunAt = 0;
  const parts = [];
  return new Promise((resolve) => {
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart() {
          begunAt = performance.now();
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, part) {
          if (plan.collect && status < 300) parts.push(part);
        },
        onResponseEnd() {
          if (status < 300) onConnectionMs.push(performance.now() - begunAt);
          if (parts.length > 0) collected.push(valueAt(JSON.parse(Buffer.concat(parts)), plan.collect));
          resolve(status);
        },
        onResponseError() {
          resolve(0);
        },
      },
    );
  });
}

async function take(request, dueAt) {
  const status = await exchange(request);
  if (status === 0) errors++;
  else {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status < 300) ms.push(performance.now() - dueAt);
  }
  return status;
}

/** As fast as the server answers. */
async function closedLoop(endAt) {
  const connection = async () => {
    let refused;
    while (performance.now() < endAt) {
      const request = refused ?? nextRequest();
      if (!request) return;
      const status = await take(request, performance.now());
      refused = status === 503 && plan.retryMs ? request : undefined;
      if (refused) await sleep(plan.retryMs);
    }
  };
  await Promise.all(Array.from({ length: plan.connections }, connection));
}

/** A fixed rate. */
async function openLoop(startAt, endAt) {
  const underWay = new Set();
  let sent = 0;
  for (let now = startAt; now < endAt; now = performance.now()) {
    const due = Math.min(
      ((now - startAt) / 1_000) * plan.perSecond,
      ((endAt - startAt) / 1_000) * plan.perSecond,
    );
    for (; sent < due; sent++) {
      const request = nextRequest();
      if (!request) return Promise.all(underWay);
      const work = take(request, startAt + (sent / plan.perSecond) * 1_000).finally(() =>
        underWay.delete(work),
      );
      underWay.add(work);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Promise.all(underWay);
}

const startAt = performance.now();
const endAt = startAt + plan.seconds * 1_000;
await (plan.perSecond ? openLoop(startAt, endAt) : closedLoop(endAt));
const seconds = (performance.now() - startAt) / 1_000;
await Promise.all(pools.map((pool) => pool.destroy()));

function percentiles(all) {
  all.sort((one, other) => one - other);
  const at = (share) => all[Math.floor((all.length - 1) * share)] ?? null;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}
process.stdout.write(
  JSON.stringify({
    seconds,
    statuses,
    errors,
    ms: percentiles(ms),
    onConnectionMs: percentiles(onConnectionMs),
    ...(plan.collect ? { collected } : {}),
  }),
);
