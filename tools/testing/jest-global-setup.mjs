// Jest globalSetup of projects that need PostgreSQL and Redis: uses those that `npm test` has started; a project that is
// tested alone (`nx test users-service`) starts its own.
import { throwawayInfra } from '../stores/infra.mjs';
import { redisProgram } from '../stores/machine-programs.mjs';

export default async function setup() {
  // for tests that stop their own Redis or make it fail over
  process.env.FD_TEST_REDIS_PROGRAM ??= await redisProgram((line) => console.error(line));
  if (process.env.FD_TEST_DATABASE_URL && process.env.FD_TEST_REDIS_URL) return;
  const infra = await throwawayInfra('jest', (line) => console.error(line));
  process.env.FD_TEST_DATABASE_URL = infra.databaseUrl;
  process.env.FD_TEST_REDIS_URL = infra.redisUrl;
  globalThis.releaseTestInfra = infra.release;
}
