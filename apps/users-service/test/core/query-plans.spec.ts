import { administer } from '@fd/testing';
import { OPEN_SESSION, FIND_LOGIN } from '../../src/identity/login/login.repository.js';
import { FIND_USABLE_SESSION, PURGE_SESSIONS } from '../../src/identity/sessions/sessions.repository.js';
import { RECORD_STEP } from '../../src/journey/steps/journey.repository.js';
import { LOCK_USER } from '../../src/identity/users/day-budget.js';
import { KEEP_IDENTITY } from '../../src/kyc/pan/identities.repository.js';
import { BEGIN_CHECK, END_CHECK } from '../../src/kyc/pan/pan-checks.repository.js';
import { READ_PROFILE } from '../../src/application/profile/profile.queries.js';
import { startService, type TestService } from '../support/users-app.js';

/** Enough people that PostgreSQL scans a whole table only when no index helps. */
const PEOPLE = 2_000;

/** Fills the tables of the hot statements; `n` is a person, and md5 makes its unique values. */
const GROW = [
  `INSERT INTO onboarding.users (id, phone_index, phone_encrypted)
   SELECT md5('u' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x' FROM people`,
  `INSERT INTO onboarding.sessions (id, user_id, partner_id, expires_at)
   SELECT md5('s' || n)::uuid, md5('u' || n)::uuid, (SELECT id FROM onboarding.partners LIMIT 1), now() + interval '1 day'
     FROM people`,
  `INSERT INTO onboarding.refresh_tokens (token_hash, session_id)
   SELECT decode(md5('p' || n) || md5('q' || n), 'hex'), md5('s' || n)::uuid FROM people`,
  `INSERT INTO onboarding.journey_steps (user_id, issuer_slug, step, state)
   SELECT md5('u' || n)::uuid, '', step, 'DONE' FROM people, unnest(ARRAY['LOGIN', 'HOME', 'EMAIL']) step`,
  `INSERT INTO onboarding.consents (id, user_id, partner_id, purpose, notice_version, ip_hash, is_united)
   SELECT md5('c' || n)::uuid, md5('u' || n)::uuid, (SELECT id FROM onboarding.partners LIMIT 1), 'P', 'V', '', true
     FROM people`,
  `INSERT INTO onboarding.otp_counts (subject_index, last_at)
   SELECT decode(md5('p' || n) || md5('q' || n), 'hex'), now() FROM people`,
  `INSERT INTO onboarding.pan_lookups (id, user_id, started_at)
   SELECT md5('l' || n)::uuid, md5('u' || n)::uuid, now() FROM people`,
  `INSERT INTO onboarding.pan_checks (id, user_id, state, next_try_at, settled_at)
   SELECT md5('l' || n)::uuid, md5('u' || n)::uuid, 'VERIFIED', now(), now() FROM people`,
  `INSERT INTO onboarding.identities (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted,
     names_encrypted, pan_status, aadhaar_seeding_status)
   SELECT md5('u' || n)::uuid, md5('v' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x', 'x', 'x',
     'VALID', 'NA' FROM people`,
  `INSERT INTO onboarding.nominees (id, user_id, person_encrypted, nomination_type, share)
   SELECT md5('n' || n)::uuid, md5('u' || n)::uuid, 'x', 'SIMULTANEOUS', 10000 FROM people`,
  `INSERT INTO onboarding.ekyc_requests (id, user_id, issuer_slug, method, status, is_compared)
   SELECT md5('e' || n)::uuid, md5('u' || n)::uuid, 'utkarsh', 'HOSTED', 'VERIFIED', true FROM people`,
  `INSERT INTO onboarding.bank_accounts (id, user_id, account_index, account_encrypted, holder_encrypted,
     idempotency_key, next_try_at)
   SELECT md5('b' || n)::uuid, md5('u' || n)::uuid, decode(md5('p' || n) || md5('q' || n), 'hex'), 'x', 'x',
     md5('k' || n)::uuid, now() FROM people`,
];

describe('statements of the hot paths on a grown database', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({});
    // without foreign keys, whose checks would take half of the time
    await administer(
      service.environment['MIGRATIONS_DATABASE_URL']!,
      'SET session_replication_role = replica',
      `CREATE TABLE people AS SELECT generate_series(1, ${PEOPLE}) n`,
      ...GROW,
      'ANALYZE',
    );
  });
  afterAll(() => service.close());

  it.each(
    Object.entries({
      FIND_LOGIN,
      OPEN_SESSION,
      FIND_USABLE_SESSION,
      PURGE_SESSIONS,
      READ_PROFILE,
      LOCK_USER,
      BEGIN_CHECK,
      END_CHECK,
      KEEP_IDENTITY,
      RECORD_STEP,
    }),
  )('reads every table of people by an index: %s', async (_name, statement) => {
    const count = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
    const values = Array.from({ length: count }, () => 'NULL').join(', ');
    const plan = await service.database.transaction(async (transaction) => {
      // the generic plan that a connection keeps for all values
      await transaction.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await transaction.query(`PREPARE hot AS ${statement}`);
      const lines = await transaction.query<{ 'QUERY PLAN': string }[]>(
        `EXPLAIN EXECUTE hot${count > 0 ? `(${values})` : ''}`,
      );
      await transaction.query('DEALLOCATE hot');
      return lines.map((line) => line['QUERY PLAN']);
    });
    expect(plan.length).toBeGreaterThan(0);
    expect(plan.filter((line) => /Seq Scan on (?!partners)/.test(line))).toEqual([]);
  });
});
