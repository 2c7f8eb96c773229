// Generates many issuers and people in PostgreSQL. None is real, and none can be decrypted.
import pg from 'pg';

async function withClient(databaseUrl, work) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copies issuers with their vehicles until there are COUNT, and adds a revision so that services reload. */
export function growCatalogue(databaseUrl, count) {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query('SELECT count(*)::int AS present FROM catalogue.issuers');
    const missing = count - rows[0].present;
    await client.query('BEGIN');
    await client.query(
      `CREATE TEMP TABLE copies ON COMMIT DROP AS
       SELECT i.issuer_id AS source, gen_random_uuid() AS issuer_id, n
         FROM generate_series(1, $1::int) n
         JOIN (SELECT issuer_id, row_number() OVER (ORDER BY number) - 1 AS place FROM catalogue.issuers) i
           ON i.place = n % (SELECT count(*) FROM catalogue.issuers)`,
      [missing],
    );
    await copy(client, 'catalogue.issuers', 'issuer_id = source', {
      issuer_id: 'copies.issuer_id',
      number: '1000 + copies.n',
      code: `'COPY' || copies.n`,
      slug: `'copy-' || copies.n`,
    });
    await copy(client, 'catalogue.vehicles', 'issuer_id = source', {
      issuer_id: 'copies.issuer_id',
      vehicle_id: 'gen_random_uuid()',
    });
    await client.query(
      `INSERT INTO catalogue.revisions (checksum, issuer_count, vehicle_count, changes)
       SELECT encode(sha256(now()::text::bytea), 'hex'), $1, count(*), '{}' FROM catalogue.vehicles`,
      [count],
    );
    await client.query('COMMIT');
  });
}

/** Copies the rows of TABLE that belong to `copies`, with CHANGED columns. */
async function copy(client, table, belongs, changed) {
  const { rows } = await client.query(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const values = columns.map((name) => changed[name] ?? `present.${name}`);
  await client.query(
    `INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM copies JOIN ${table} present ON present.${belongs}`,
  );
}

/** Each with a session and an identity; keys of look-ups are hashes, as everywhere. */
const PEOPLE = [
  `INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
   SELECT gen_random_uuid(), sha256(('phone ' || n)::bytea), repeat('x', 80) FROM generate_series($1::int, $2::int) n`,
  `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
   SELECT gen_random_uuid(), u.id, (SELECT id FROM onboarding.partners LIMIT 1), now() + interval '30 days'
     FROM onboarding.users u`,
  `INSERT INTO onboarding.refresh_tokens (token_hash, session_id) SELECT sha256(s.id::text::bytea), s.id FROM onboarding.sessions s`,
  `INSERT INTO onboarding.identities
     (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status, aadhaar_seeding_status)
   SELECT u.id, gen_random_uuid(), sha256(u.id::text::bytea), repeat('x', 80), repeat('x', 80), repeat('x', 160), 'VALID', 'LINKED'
     FROM onboarding.users u`,
];
const PEOPLE_TABLES = ['users', 'sessions', 'refresh_tokens', 'identities'].map(
  (name) => `onboarding.${name}`,
);

/** Fills an empty database with COUNT people. Recreates indexes and keys afterwards, since updating them row by row takes hours. */
export function seedPeople(databaseUrl, count) {
  return withClient(databaseUrl, async (client) => {
    await client.query(`SET maintenance_work_mem = '1GB'; SET session_replication_role = replica`);
    const restore = await dropKeys(client);
    await client.query(PEOPLE[0], [1, count]);
    for (const statement of PEOPLE.slice(1)) await client.query(statement);
    for (const statement of restore) await client.query(statement);
    await client.query('ANALYZE');
    await client.query('CHECKPOINT');
  });
}

/** Drops keys and indexes of the tables of people. Returns the statements that recreate them. */
async function dropKeys(client) {
  const { rows: constraints } = await client.query(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition, contype AS type
       FROM pg_constraint
      WHERE contype IN ('p', 'u', 'f') AND conparentid = 0 AND (conrelid = ANY ($1::regclass[]) OR confrelid = ANY ($1::regclass[]))
      ORDER BY contype = 'f' DESC`,
    [PEOPLE_TABLES],
  );
  for (const { table, name } of constraints)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const { rows: indexes } = await client.query(
    `SELECT schemaname || '.' || indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE (schemaname || '.' || tablename) = ANY ($1)`,
    [PEOPLE_TABLES],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  const addBack = ({ table, name, definition, type }) =>
    `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}${type === 'f' ? ' NOT VALID' : ''}`;
  return [...indexes.map(({ definition }) => definition), ...constraints.toReversed().map(addBack)];
}

/** Lets each partner's backend learn of events; nothing is delivered, since no address is set. */
export function subscribeAll(databaseUrl) {
  return withClient(databaseUrl, (client) =>
    client.query(
      `INSERT INTO onboarding.event_subscriptions (partner_id, secret_encrypted) SELECT id, 'unused' FROM onboarding.partners`,
    ),
  );
}
