// For the specs: what the images of services hold, run as a container would run it.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { throwawayInfra } from '../stores/infra.mjs';
import { freePort } from '../stores/ports.mjs';
import { mayEnter } from '../stores/postgres-binaries.mjs';
import { createDatabase } from '../stores/postgres.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
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
  const programs = [];
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
    const running = recorded(spawn(node, args, options));
    programs.push(running);
    return running;
  }

  async function run(service, args, env) {
    const program = launch(service, args, env);
    return { status: await program.exited, output: program.output };
  }

  /** Starts SERVICE on a free port; resolves when it answers. */
  async function start(service, env) {
    const port = String(await freePort());
    const running = launch(service, ['dist/main.js'], { ...env, PORT: port });
    const url = `http://127.0.0.1:${port}`;
    const isReady = async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
    await until(async () => running.isOver() || (await isReady()), { limit: 60_000 });
    return Object.assign(running, { port, url });
  }

  async function remove() {
    for (const { child, isOver } of programs) if (!isOver()) await end(child.pid);
    // only what can be written can be removed
    if (!isRoot()) for (const tree of Object.values(trees)) execFileSync('chmod', ['-R', 'u+w', tree]);
    await infra.release();
  }

  return {
    ...{ trees, digests, run, start, remove },
    stores: { DATABASE_URL: databaseUrl, REDIS_URL: infra.redisUrl },
    /** A file of the workspace, or CONTENT in its place, where the images' user can read it. */
    file: (path, content = readFileSync(join(root, path))) => {
      const copy = join(folder, 'files', basename(path));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, content);
      return copy;
    },
  };
}
