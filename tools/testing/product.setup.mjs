// Jest globalSetup of tests that start built services: builds everything that has changed, then starts the stores.
import { runProgram } from '../processes/processes.mjs';
import { root, toolEnvironment } from '../workspace.mjs';
import startStores from './stores.setup.mjs';

export default async function setup(...args) {
  await runProgram(
    'This does not build',
    'nx',
    'run-many -t build --parallel=2 --output-style=static'.split(' '),
    {
      cwd: root,
      env: toolEnvironment(),
    },
  );
  await startStores(...args);
}
