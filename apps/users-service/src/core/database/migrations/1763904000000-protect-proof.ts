import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An attacker on the service cannot rewrite the proof of consents and erasures. The service may withdraw a consent once, with the
 * current time, and delete it after seven years; it may re-encrypt a KYC record, and delete it on its day. The previous release
 * makes no other change either.
 */
export class ProtectProof1763904000000 implements MigrationInterface {
  name = 'ProtectProof1763904000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION onboarding.protect_consent() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          IF OLD.withdrawn_at IS NULL OR OLD.withdrawn_at >= now() - interval '7 years' THEN
            RAISE EXCEPTION 'consents are kept for 7 years after their withdrawal';
          END IF;
          RETURN OLD;
        END IF;
        IF to_jsonb(NEW) - 'withdrawn_at' IS DISTINCT FROM to_jsonb(OLD) - 'withdrawn_at'
          OR (NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at
              AND (OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS DISTINCT FROM now())) THEN
          RAISE EXCEPTION 'consents are withdrawn, and not changed otherwise';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_consents__protected BEFORE UPDATE OR DELETE
        ON onboarding.consents FOR EACH ROW EXECUTE FUNCTION onboarding.protect_consent()`);
    await runner.query(`
      CREATE FUNCTION onboarding.protect_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (NEW.user_id, NEW.erased_at) IS DISTINCT FROM (OLD.user_id, OLD.erased_at)
          OR (NEW.kyc_until IS DISTINCT FROM OLD.kyc_until
              AND (NEW.kyc_until IS NOT NULL OR OLD.kyc_until > current_date)) THEN
          RAISE EXCEPTION 'erasures are not changed, and KYC records are kept until their day';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tr_erased_users__protected BEFORE UPDATE
        ON onboarding.erased_users FOR EACH ROW EXECUTE FUNCTION onboarding.protect_erasure()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER tr_erased_users__protected ON onboarding.erased_users');
    await runner.query('DROP FUNCTION onboarding.protect_erasure()');
    await runner.query('DROP TRIGGER tr_consents__protected ON onboarding.consents');
    await runner.query('DROP FUNCTION onboarding.protect_consent()');
  }
}
