import type { MigrationInterface, QueryRunner } from 'typeorm';

const FORMER = "moment < u.occurred_at - interval '5 minutes'";
const SAFE = "moment + interval '5 minutes' < u.occurred_at";

/**
 * A subtraction from the earliest time of PostgreSQL fails. PostgreSQL may evaluate it for every pending event, so one
 * forged event could stop all sealing.
 */
export class SealPastEarliestTime1764330100000 implements MigrationInterface {
  name = 'SealPastEarliestTime1764330100000';

  async up(runner: QueryRunner): Promise<void> {
    await replaceCondition(runner, FORMER, SAFE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceCondition(runner, SAFE, FORMER);
  }
}

/** Changes one condition of the function. Its owner and rights stay. */
async function replaceCondition(runner: QueryRunner, from: string, to: string): Promise<void> {
  const [{ definition }] = (await runner.query(
    "SELECT pg_get_functiondef('onboarding.seal_audit_events'::regproc) AS definition",
  )) as [{ definition: string }];
  if (!definition.includes(from)) throw new Error(`seal_audit_events does not contain: ${from}`);
  await runner.query(definition.replace(from, to));
}
