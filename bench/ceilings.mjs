// Round trips to the stores from one process: an upper bound for every call that needs one.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { spread } from './measure.mjs';

const AT_ONCE = 50;

/** Calls of WORK a second with AT_ONCE in parallel, and microseconds of a single one. */
async function measureCalls(work, { rounds, seconds }) {
  const perSecond = [];
  const aloneMicros = [];
  for (let round = 0; round < rounds; round++) {
    const endAt = performance.now() + seconds * 1_000;
    let calls = 0;
    const worker = async () => {
      for (; performance.now() < endAt; calls++) await work();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    perSecond.push(calls / seconds);
    const startedAt = performance.now();
    for (let call = 0; call < 1_000; call++) await work();
    aloneMicros.push(performance.now() - startedAt);
  }
  return { perSecond: spread(perSecond), aloneMicros: spread(aloneMicros) };
}

export async function measureCeilings({ stores, say, ...options }) {
  const redis = new Redis(stores.redisUrl);
  const pool = new pg.Pool({ connectionString: await stores.databaseUrl('ceilings'), max: 10 });
  const id = randomUUID();
  await pool.query('CREATE TABLE rows (id uuid PRIMARY KEY, text text)');
  await pool.query('INSERT INTO rows VALUES ($1, $2)', [id, 'a row']);
  await redis.set('bench:key', 'value');
  const query = { name: 'row', text: 'SELECT text FROM rows WHERE id = $1', values: [id] };
  const figures = {
    redis: await measureCalls(() => redis.get('bench:key'), options),
    postgres: await measureCalls(() => pool.query(query), options),
  };
  for (const [name, { perSecond }] of Object.entries(figures))
    say(`${name}: ${Math.round(perSecond.median)} a second`);
  redis.disconnect();
  await pool.end();
  return figures;
}
