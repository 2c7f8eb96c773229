// npm test [-- ARGS]: every test of every project against one throwaway PostgreSQL and Redis. ARGS go to Nx
// ("--projects=users-service"). The last line that it prints is the sum of all.
import { testRun } from './test-run.mjs';

// two at a time: most wait for a database, and the machines that run this in the background have two cores
await testRun({ command: 'npm test', target: 'test', parallel: 2 }, process.argv.slice(2));
