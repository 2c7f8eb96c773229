// better-auth's phone-number plugin on the PostgreSQL (DATABASE_URL) and Redis (REDIS_URL) that the services use, with its
// recommended storage: sessions and codes in Redis, users in PostgreSQL. Its own limits count per address, which all of
// this load shares, so they are off; ours are on.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { phoneNumber } from 'better-auth/plugins';
import { Redis } from 'ioredis';
import pg from 'pg';

const redis = new Redis(process.env.REDIS_URL);
const port = Number(process.env.PORT);
const agent = {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer peer' },
};

const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret: process.env.PEER_SECRET,
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  secondaryStorage: {
    get: (key) => redis.get(`peer:${key}`),
    getAndDelete: (key) => redis.getdel(`peer:${key}`),
    set: async (key, value, ttl) => {
      await (ttl ? redis.set(`peer:${key}`, value, 'EX', Math.ceil(ttl)) : redis.set(`peer:${key}`, value));
    },
    delete: async (key) => {
      await redis.del(`peer:${key}`);
    },
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [
    phoneNumber({
      sendOTP: async ({ phoneNumber: to, code }) => {
        const text = `${code} is your code.`;
        const answer = await fetch(process.env.SMS_URL, { ...agent, body: JSON.stringify({ to, text }) });
        await answer.arrayBuffer();
      },
      signUpOnVerification: { getTempEmail: (phone) => `${phone.slice(1)}@peer.example` },
    }),
  ],
};

const { runMigrations } = await getMigrations(options);
await runMigrations();
createServer(toNodeHandler(betterAuth(options))).listen(port, '127.0.0.1');
