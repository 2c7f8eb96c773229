// npm test [-- ARGS]: every test of every project against one throwaway PostgreSQL and Redis. ARGS go to Nx
// ("--projects=users-service"). The last line that it prints is the sum of all.
import { testRun } from './test-run.mjs';

await testRun({ command: 'npm test', target: 'test' }, process.argv.slice(2));
