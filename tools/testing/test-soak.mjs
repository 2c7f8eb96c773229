// npm run test:soak [-- ARGS]: what takes too long for npm test (*.soak.ts), on stores of its own in the same way.
// ARGS go to Nx. Soaks measure and break things: one runs at a time, and all of them within a limit.
import { testRun } from './test-run.mjs';

const soak = { command: 'npm run test:soak', target: 'soak', limitMinutes: 90 };

await testRun(soak, process.argv.slice(2));
