// For the specs: what the images of services hold, run as a container would run it.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, lstatSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { throwawayInfra } from '../stores/infra.mjs';
import { freePort } from '../stores/ports.mjs';
import { mayEnter } from '../stores/postgres-binaries.mjs';
import { createDatabase } from '../stores/postgres.mjs';
import { end, until } from '../processes/processes.mjs';
import { entriesOf, makeProductionTree } from '../build/production-tree.mjs';
import { root } from '../workspace.mjs';

/** The user and the group of the images, whom no machine needs to know. */
export const IMAGE_USER = 65_532;

const isRoot = () => process.getuid?.() === 0;
const asImageUser = () => (isRoot() ? { uid: IMAGE_USER, gid: IMAGE_USER } : {});

/** A digest of everything in FOLDER: names, kinds, modes, times and contents. */
export function digestOf(folder) {
  const hash = createHash('sha256');
  for (const path of [...entriesOf(folder)].sort()) {
    const at = join(folder, path);
    const entry = lstatSync(at);
    hash.update(JSON.stringify([path, entry.mode, entry.mtimeMs]));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(at));
    if (entry.isFile()) hash.update(readFileSync(at));
  }
  return hash.digest('hex');
}

/** This node, where the images' user can run it too. */
function nodeFor(user, folder) {
  if (!user.uid || mayEnter(dirname(process.execPath), user)) return process.execPath;
  const copy = join(folder, basename(process.execPath));
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  return copy;
}

/**
 * Makes the trees of SERVICES, which their programs cannot write, beside a PostgreSQL and a Redis. Programs run as the
 * images' user when we are root, else as ourselves, with the given environment and nothing else.
 *
 * Returns stores (DATABASE_URL, REDIS_URL), trees and digests (by service), file(path), run(), start() and remove().
 */
export async function startContainers(services) {
  const infra = await throwawayInfra('what images hold');
  const folder = infra.temporary;
  const user = asImageUser();
  const node = nodeFor(user, folder);
  const children = [];
  const trees = {};
  const digests = {};
  for (const service of services) {
    trees[service] = join(folder, service);
    // as in an image, the files are root's; who is not root takes the right to write from themselves
    await makeProductionTree(service, trees[service], { isLinked: isRoot() });
    if (!isRoot()) execFileSync('chmod', ['-R', 'a-w', trees[service]]);
    digests[service] = digestOf(trees[service]);
  }
  await createDatabase(infra.databaseUrl, 'fd');
  const databaseUrl = Object.assign(new URL(infra.databaseUrl), { pathname: '/fd' }).href;

  function launch(service, args, env) {
    const cwd = trees[service];
    // no folder for temporary files either: a container's root is read-only
    const options = { ...user, cwd, env: { ...env, TMPDIR: cwd }, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = spawn(node, args, options);
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    return { child, exited, output: () => output };
  }

  async function run(service, args, env) {
    const { exited, output } = launch(service, args, env);
    return { status: await exited, output: output() };
  }

  /** Starts SERVICE on a free port; resolves when it answers. */
  async function start(service, env) {
    const port = String(await freePort());
    const running = launch(service, ['dist/main.js'], { ...env, PORT: port });
    const url = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(`${url}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    const hasEnded = () => running.child.exitCode !== null || running.child.signalCode !== null;
    await until(async () => hasEnded() || (await answers()), { limit: 60_000 });
    return { ...running, port, url };
  }

  async function remove() {
    for (const { pid, exitCode, signalCode } of children)
      if (exitCode === null && signalCode === null) await end(pid);
    // only what can be written can be removed
    if (!isRoot()) for (const tree of Object.values(trees)) execFileSync('chmod', ['-R', 'u+w', tree]);
    await infra.release();
  }

  return {
    ...{ trees, digests, run, start, remove },
    stores: { DATABASE_URL: databaseUrl, REDIS_URL: infra.redisUrl },
    /** A file of the workspace where the images' user can read it. */
    file: (path) => {
      const copy = join(folder, 'files', basename(path));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(root, path), copy);
      return copy;
    },
  };
}
