import type { DataSource } from 'typeorm';

/** Makes PostgreSQL refuse each transaction that adds rows to a table, at its commit, until the returned function is called. */
export async function failCommits(dataSource: DataSource, table: string): Promise<() => Promise<void>> {
  await dataSource.query(`
    CREATE FUNCTION onboarding.fail_commit() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'refused at the commit' USING ERRCODE = 'serialization_failure'; END $$;
    CREATE CONSTRAINT TRIGGER tr_fail_commit AFTER INSERT ON onboarding.${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION onboarding.fail_commit()`);
  return async () => void (await dataSource.query('DROP FUNCTION onboarding.fail_commit CASCADE'));
}
