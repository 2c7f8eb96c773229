// Jest globalSetup of tests that start built services: builds what has changed, for tests of a release the guide too, then starts
// the stores.
import { runProgram } from '../processes/processes.mjs';
import { root, toolEnvironment } from '../workspace.mjs';
import startStores from './stores.setup.mjs';

export default async function setup(globalConfig, projectConfig) {
  const isForRelease = projectConfig.displayName.name === 'release';
  const options = ['--parallel=2', '--output-style=static', ...(isForRelease ? [] : ['--exclude=guide'])];
  await runProgram('This does not build', 'nx', ['run-many', '-t', 'build', ...options], {
    cwd: root,
    env: toolEnvironment(),
  });
  await startStores(globalConfig, projectConfig);
}
