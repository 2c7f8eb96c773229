// users-service's login and PAN verification, beside a bare route with two round trips to Redis and beside a peer.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { partners } from '../tools/dev/sandbox-data.mjs';
import { startBare } from './catalogue.mjs';
import {
  panVerifications,
  peerSends,
  peerVerifies,
  profiles,
  registers,
  same,
  verifies,
} from './requests.mjs';
import { inTurns } from './rounds.mjs';
import { startServer, startService } from './server.mjs';
import { environmentOf, recordAnswer } from './stores.mjs';

const script = (name) => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url));

/** More than any server here answers in a second. */
const MOST_PER_SECOND = 6_000;

export const startOutside = (stores) => startServer('outside', script('outside'), { folder: stores.folder });

/** Starts users-service on DATABASE. */
export async function startUsers(stores, outside, { database = 'users', ...options } = {}) {
  const env = await environmentOf('users-service', stores, { database, outside: outside.url });
  return startService('users-service', { env, folder: stores.folder, ...options });
}

/** The codes that were sent since the last time, by phone. */
export async function takeCodes(outside) {
  return (await fetch(`${outside.url}/codes`)).json();
}

/** The journey's first calls as contenders, each of which lives on what the one before has left. */
export function loginContenders(server, outside, suffix = '') {
  const left = { tokens: [], panTokens: [] };
  const named = (name, plan, after) => ({ name: `${name}${suffix}`, server, plan, after, isChained: true });
  return [
    named('register', (seconds) => ({ requests: registers(MOST_PER_SECOND * seconds), once: true })),
    named(
      'verify',
      async () => ({
        requests: verifies(await takeCodes(outside), partners[0].url),
        once: true,
        collect: 'payload.access_token',
      }),
      ({ collected }) => {
        left.tokens = collected;
        left.panTokens = [...collected];
      },
    ),
    named('profile', () => ({ requests: profiles(left.tokens.slice(0, 500)) })),
    named('pan', () => ({ requests: panVerifications(left.panTokens), once: true })),
  ];
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

export async function measureLogin({ stores, say, ...options }) {
  const outside = await startOutside(stores);
  const users = await startUsers(stores, outside);
  const peer = await startPeer(stores, outside);
  const file = await recordAnswer(users, registers(1)[0], stores.folder, 'register');
  const bare = await startBare('nest-redis', file, stores);
  const figures = await inTurns(
    [
      ...loginContenders(users, outside),
      { name: 'nest-redis', server: bare, plan: () => ({ requests: same('POST') }) },
      {
        name: 'peer-send',
        server: peer,
        plan: async (seconds) => {
          await takeCodes(outside);
          return { requests: peerSends(MOST_PER_SECOND * seconds), once: true };
        },
      },
      {
        name: 'peer-verify',
        server: peer,
        plan: async () => ({ requests: peerVerifies(await takeCodes(outside)), once: true }),
      },
    ],
    { ...options, say },
  );
  await Promise.all([users, peer, bare, outside].map((server) => server.stop()));
  return figures;
}
