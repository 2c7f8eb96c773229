// Compares users-service's login, profile and PAN verification with bare routes, the hand-written floor and a peer.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { partners } from '../tools/dev/sandbox-data.mjs';
import { startBare } from './catalogue.mjs';
import {
  panVerifications,
  peerSends,
  peerVerifies,
  profiles,
  registers,
  repeated,
  verifies,
} from './requests.mjs';
import { inTurns, slice } from './rounds.mjs';
import { subscribeAll } from './seed.mjs';
import { script, startServer, startService } from './server.mjs';
import { answerTo, environmentOf } from './stores.mjs';

/** Number of logged-in people who read their profile repeatedly. */
const READERS = 500;

/** Longer than a replica takes to learn that a partner listens. */
const LISTENERS_MS = 11_000;

export const startOutside = (stores, name = 'outside') =>
  startServer(name, script('outside'), { folder: stores.folder });

/** Starts users-service on DATABASE. */
export async function startUsers(stores, outside, { database = 'users', ...options } = {}) {
  const env = await environmentOf('users-service', stores, { database, outside: outside.url });
  return startService('users-service', { env, folder: stores.folder, ...options });
}

/** Returns the codes sent since the last call, by phone. */
async function takeCodes(outside) {
  return (await fetch(`${outside.url}/codes`)).json();
}

/**
 * The journey's first calls as contenders in this order; each uses results of the one before. OUTSIDE belongs to this server. A
 * profile is read once by its owner before it counts.
 */
export function loginContenders(server, outside, named = (name) => name) {
  let tokens = [];
  const readAgain = async (count) => {
    const requests = profiles(tokens.slice(0, READERS));
    await slice({ server, plan: () => ({ requests }) });
    return { requests: repeated(requests, count) };
  };
  const contenders = {
    register: { plan: (count) => ({ requests: registers(count) }) },
    verify: {
      plan: async (count) => ({
        requests: verifies(await takeCodes(outside), partners[0].url).slice(0, count),
        collect: 'payload.access_token',
      }),
      after: ({ collected }) => {
        tokens = collected;
      },
    },
    profile: { plan: readAgain },
    pan: { plan: (count) => ({ requests: panVerifications(tokens.slice(0, count)) }) },
  };
  return Object.entries(contenders).map(([name, contender]) => ({ name: named(name), server, ...contender }));
}

/** Answers of SERVER to one person, by name of the contender. */
async function answersOf(server, outside, names = ['register', 'verify', 'profile', 'pan']) {
  const answers = {};
  const contenders = loginContenders(server, outside);
  for (const name of names) {
    const { plan, after } = contenders.find((contender) => contender.name === name);
    const [request] = (await plan(1)).requests;
    answers[name] = await answerTo(server, request);
    await after?.({ collected: [JSON.parse(answers[name].body).payload.access_token] });
  }
  return answers;
}

/** The names and types of an answer, which are equal for all people. */
const shapeOf = (value) =>
  value && typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]))
    : value === null
      ? null
      : typeof value;

/** @throws Error unless FLOOR answers a person like users-service */
async function requireSameShape(floor, outside, expected) {
  for (const [name, answer] of Object.entries(await answersOf(floor, outside, Object.keys(expected)))) {
    const shapes = [answer, expected[name]].map(({ status, body }) =>
      JSON.stringify([status, shapeOf(JSON.parse(body))]),
    );
    if (shapes[0] !== shapes[1]) throw new Error(`${name} of the floor: ${shapes.join(' instead of ')}`);
  }
}

async function startPeer(stores, outside) {
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: await stores.databaseUrl('peer'),
    REDIS_URL: stores.redisUrl,
    SMS_URL: `${outside.url}/sms`,
    PEER_SECRET: randomBytes(32).toString('base64'),
  };
  return startServer('peer', script('peer'), { env, folder: stores.folder, ready: '/api/auth/ok' });
}

const peerContenders = (server, outside) => [
  { name: 'peer-register', server, plan: (count) => ({ requests: peerSends(count) }) },
  {
    name: 'peer-verify',
    server,
    plan: async (count) => ({ requests: peerVerifies(await takeCodes(outside)).slice(0, count) }),
  },
];

/** The contenders of users-service as built in the checkout EARLIER, on its own tables. */
async function earlierContenders(earlier, stores, outside) {
  const its = await import(pathToFileURL(`${earlier}/bench/login.mjs`));
  const server = await its.startUsers(stores, outside, { name: 'earlier', database: 'earlier' });
  return its.loginContenders(server, outside, (name) => `earlier-${name}`);
}

/** Another users-service, whose partner listens to events: they are written and numbered, and wait for its backend to read them. */
async function startWithEvents(stores, outside) {
  const server = await startUsers(stores, outside, { name: 'events', database: 'events' });
  await subscribeAll(await stores.databaseUrl('events'));
  // until the replica knows of it
  await sleep(LISTENERS_MS);
  return server;
}

async function startFloor(stores, outside) {
  const env = await environmentOf('users-service', stores, { database: 'floor', outside: outside.url });
  return startServer('floor', script('floor'), {
    args: ['login'],
    env: { ...env, NODE_ENV: 'production' },
    folder: stores.folder,
  });
}

export async function measureLogin({ stores, say, earlier, ...options }) {
  const outsides = await Promise.all(
    ['users', 'floor', 'peer', 'earlier', 'events'].map((of) => startOutside(stores, `outside-${of}`)),
  );
  const [outside, floorOutside, peerOutside, earlierOutside, eventsOutside] = outsides;
  const users = await startUsers(stores, outside);
  const floor = await startFloor(stores, floorOutside);
  const peer = await startPeer(stores, peerOutside);
  const events = await startWithEvents(stores, eventsOutside);
  const { pan, ...expected } = await answersOf(users, outside);
  await requireSameShape(floor, floorOutside, expected);
  const bare = [];
  for (const [name, answer] of Object.entries({ ...expected, pan }))
    bare.push(await startBare(`nest-${name}`, name === 'profile' ? 'GET' : 'POST', answer, stores));
  const contenders = [
    ...loginContenders(events, eventsOutside, (name) => `events-${name}`).slice(0, 2),
    ...loginContenders(users, outside),
    ...loginContenders(floor, floorOutside, (name) => `floor-${name}`).slice(0, -1),
    ...(earlier ? await earlierContenders(earlier, stores, earlierOutside) : []),
    ...peerContenders(peer, peerOutside),
    ...bare,
  ];
  // each call beside those that it is compared with: the speed of the machine changes within seconds
  const calls = Object.keys({ ...expected, pan });
  const figures = await inTurns(
    calls.flatMap((call) => contenders.filter(({ name }) => name.split('-').pop() === call)),
    { ...options, say },
  );
  const servers = [...outsides, ...new Set(contenders.map(({ server }) => server))];
  await Promise.all(servers.map((server) => server.stop()));
  return figures;
}
