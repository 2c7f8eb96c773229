import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each event is sealed after the last one, with the current time. Before, an attacker on a replica could seal one with a number or
 * time far ahead or back, which blocked further events or kept a partition for ever.
 */
export class SealInOrder1763903400000 implements MigrationInterface {
  name = 'SealInOrder1763903400000';

  async up(runner: QueryRunner): Promise<void> {
    await define(
      runner,
      `
      SELECT seq, sealed_at INTO last_seq, last_sealed_at FROM onboarding.audit_events ORDER BY seq DESC LIMIT 1;
      last_seq := greatest(coalesce(last_seq, 0), coalesce((SELECT max(seq) FROM onboarding.audit_checkpoints), 0));
      IF seqs IS DISTINCT FROM ARRAY(SELECT generate_series(last_seq + 1, last_seq + cardinality(ids))) THEN
        RAISE EXCEPTION 'audit events are sealed in the order of their numbers';
      END IF;
      -- the clock of a replica may be wrong, and the chain continues from it
      IF moment < last_sealed_at OR moment > now() + interval '1 day' THEN
        RAISE EXCEPTION 'audit events are sealed in the order of time';
      END IF;`,
      `
      GET DIAGNOSTICS moved = ROW_COUNT;
      IF moved <> cardinality(ids) THEN
        RAISE EXCEPTION 'an event of these ids does not wait';
      END IF;`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await define(runner, '', '');
  }
}

/** The function as it was, with conditions before and after the move. Its owner and rights stay. */
async function define(runner: QueryRunner, before: string, after: string): Promise<void> {
  await runner.query(`
    CREATE OR REPLACE FUNCTION onboarding.seal_audit_events(ids uuid[], seqs bigint[], hashes text[], moment timestamptz)
    RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
      last_seq bigint;
      last_sealed_at timestamptz;
      moved bigint;
    BEGIN
      -- an event that was sealed as older than it is could be purged at once
      IF EXISTS (SELECT FROM onboarding.audit_unsealed u
                  WHERE u.id = ANY (ids) AND moment < u.occurred_at - interval '5 minutes') THEN
        RAISE EXCEPTION 'audit events cannot be sealed before they happen';
      END IF;
      -- what waits beside a sealed event of its id is evidence, and stays
      IF EXISTS (SELECT FROM onboarding.audit_events e WHERE e.id = ANY (ids)
                   AND EXISTS (SELECT FROM onboarding.audit_unsealed u WHERE u.id = e.id)) THEN
        RAISE EXCEPTION 'an event of these ids is sealed already';
      END IF;
      ${before}
      INSERT INTO onboarding.audit_events (seq, id, occurred_at, actor, action, subject_user_id, outcome, code,
                                           issuer_slug, object_id, session_id, request_id, proof, sealed_at, hash)
      SELECT s.seq, u.id, u.occurred_at, u.actor, u.action, u.subject_user_id, u.outcome, u.code,
             u.issuer_slug, u.object_id, u.session_id, u.request_id, u.proof, moment, s.hash
        FROM unnest(ids, seqs, hashes) AS s (id, seq, hash) JOIN onboarding.audit_unsealed u ON u.id = s.id;
      ${after}
      DELETE FROM onboarding.audit_unsealed u WHERE u.id = ANY (ids);
    END $$`);
}
