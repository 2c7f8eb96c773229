import { Redis } from 'ioredis';
import type { UsersApp } from './users-app.js';

/** Returns everything a service has stored or logged: its tables, Redis, and its logs. */
export async function tracesOf(service: UsersApp): Promise<Record<'database' | 'redis' | 'logs', string>> {
  return { database: await tablesOf(service), redis: await keysOf(service), logs: service.logs() };
}

async function tablesOf({ dataSource }: UsersApp): Promise<string> {
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'onboarding'",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => dataSource.query<unknown[]>(`SELECT t::text FROM onboarding.${name} t`)),
  );
  return JSON.stringify(rows);
}

async function keysOf({ environment }: UsersApp): Promise<string> {
  // not the service's client, whose commands end after a time that a busy machine exceeds
  const redis = new Redis(environment['REDIS_URL']!);
  try {
    const names = await redis.keys(`${environment['REDIS_KEY_PREFIX'] ?? ''}*`);
    const values = await Promise.all(
      names.map(async (name) => {
        const type = await redis.type(name);
        if (type === 'hash') return JSON.stringify(await redis.hgetall(name));
        if (type === 'zset') return (await redis.zrange(name, '0', '-1', 'WITHSCORES')).join();
        return (await redis.get(name)) ?? '';
      }),
    );
    return names.map((name, i) => `${name}=${values[i]}`).join('\n');
  } finally {
    redis.disconnect();
  }
}
