import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Functions for the service's changes to audit events; its role has no other right to change them. */
export class SealAsOwner1763898000000 implements MigrationInterface {
  name = 'SealAsOwner1763898000000';

  async up(runner: QueryRunner): Promise<void> {
    await asOwner(
      runner,
      `seal_audit_events(ids uuid[], seqs bigint[], hashes text[], moment timestamptz) RETURNS void`,
      `
      -- an event sealed with an earlier time could be purged immediately
      IF EXISTS (SELECT FROM onboarding.audit_unsealed u
                  WHERE u.id = ANY (ids) AND moment < u.occurred_at - interval '5 minutes') THEN
        RAISE EXCEPTION 'audit events cannot be sealed before they happen';
      END IF;
      -- an unsealed event with the id of a sealed one is evidence of forgery and is kept
      IF EXISTS (SELECT FROM onboarding.audit_events e WHERE e.id = ANY (ids)
                   AND EXISTS (SELECT FROM onboarding.audit_unsealed u WHERE u.id = e.id)) THEN
        RAISE EXCEPTION 'an event of these ids is sealed already';
      END IF;
      INSERT INTO onboarding.audit_events (seq, id, occurred_at, actor, action, subject_user_id, outcome, code,
                                           issuer_slug, object_id, session_id, request_id, proof, sealed_at, hash)
      SELECT s.seq, u.id, u.occurred_at, u.actor, u.action, u.subject_user_id, u.outcome, u.code,
             u.issuer_slug, u.object_id, u.session_id, u.request_id, u.proof, moment, s.hash
        FROM unnest(ids, seqs, hashes) AS s (id, seq, hash) JOIN onboarding.audit_unsealed u ON u.id = s.id;
      DELETE FROM onboarding.audit_unsealed u WHERE u.id = ANY (ids);`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION onboarding.seal_audit_events(uuid[], bigint[], text[], timestamptz)');
  }
}

/** Creates a SECURITY DEFINER function: a fixed search path keeps the caller's objects out; only granted roles may call it. */
async function asOwner(runner: QueryRunner, head: string, body: string): Promise<void> {
  await runner.query(`
    CREATE FUNCTION onboarding.${head} LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN ${body}
    END $$`);
  const name = head.slice(0, head.indexOf('('));
  await runner.query(`REVOKE ALL ON FUNCTION onboarding.${name} FROM PUBLIC`);
}
