// For specs: images and their containers, run as in a cluster.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { throwawayInfra } from '../stores/infra.mjs';
import { freePort } from '../stores/ports.mjs';
import { createDatabase, createServiceRole } from '../stores/postgres.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { isOk, until } from '../processes/processes.mjs';
import { root } from '../workspace.mjs';
import { buildImages } from './images.mjs';
import { containerRuntime } from '../stores/machine-programs.mjs';

/** Linux's unit of processor time. */
const MS_PER_TICK = 10;

/** The memory limit of deploy/. */
const MEMORY_BYTES = 512 * 1_048_576;
const NO_CAPABILITIES = Object.fromEntries(
  ['bounding', 'effective', 'inheritable', 'permitted', 'ambient'].map((set) => [set, []]),
);

const bind = ([destination, source]) => ({
  destination,
  source,
  type: 'bind',
  options: ['rbind', 'ro', 'nosuid', 'nodev'],
});

/**
 * An OCI runtime specification: the image's user, command and environment, a read-only root, no capabilities, no folder for
 * temporary files, and the machine's network, where the stores are.
 */
function specOf({ config, rootfs, args, env, files, id }) {
  const [uid, gid] = config.User.split(':').map(Number);
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args,
      // the last of a name wins
      env: [...config.Env, ...given],
      cwd: config.WorkingDir,
      capabilities: NO_CAPABILITIES,
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
      ...Object.entries(files).map(bind),
    ],
    linux: {
      cgroupsPath: `/${id}`,
      resources: { memory: { limit: MEMORY_BYTES }, devices: [{ allow: false, access: 'rwm' }] },
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
    },
  };
}

/**
 * Builds the images of SERVICES and starts a PostgreSQL and a Redis. Returns roots and configs (by service), imageTool(), newStores(),
 * file(), launch(), run(), start() and remove().
 */
export async function startContainers(services) {
  const say = (line) => console.log(line);
  const runtime = await containerRuntime(say);
  const infra = await throwawayInfra('images');
  const folder = infra.temporary;
  const images = await buildImages(services, folder, say).catch(async (error) => {
    await infra.release();
    throw error;
  });
  const runc = ['--root', join(folder, 'runc')];
  const containers = [];

  /**
   * Creates a database. Returns, for each service, the settings of its stores, and of commands that the owner runs: a service
   * starts neither as the owner nor with the rights of another one.
   */
  async function newStores(name) {
    await createDatabase(infra.databaseUrl, name);
    const databaseUrl = Object.assign(new URL(infra.databaseUrl), { pathname: `/${name}` }).href;
    const of = {};
    for (const service of ['users-service', 'master-service']) {
      const role = service.replace('-', '_');
      of[service] = {
        stores: { DATABASE_URL: await createServiceRole(databaseUrl, role), REDIS_URL: infra.redisUrl },
        owner: { MIGRATIONS_DATABASE_URL: databaseUrl, SERVICE_DATABASE_ROLE: role },
      };
    }
    return of;
  }

  /** Starts a container of SERVICE with the image's command or ARGS; mounts FILES ({path in the container: path here}). */
  function launch(service, { args = images.configs[service].Cmd, env = {}, files = {} }) {
    const bundle = mkdtempSync(join(folder, 'container-'));
    const id = basename(bundle);
    const spec = specOf({
      ...{ config: images.configs[service], rootfs: images.roots[service], args, env, files },
      id: `fd-${process.pid}-${id}`,
    });
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
    const container = recorded(runtime, [...runc, 'run', '--bundle', bundle, id]);
    const tool = (...command) => promisify(execFile)(runtime, [...runc, ...command]);
    const state = async () => JSON.parse((await tool('state', id).catch(() => ({ stdout: '{}' }))).stdout);
    Object.assign(container, {
      /** Sends SIGTERM to its first process, as a cluster does. Resolves with its exit code; undefined if it still runs. */
      end: async () => {
        await tool('kill', id, 'TERM');
        await until(container.isOver, { limit: 60_000 });
        return container.isOver() ? container.exited : undefined;
      },
      /** Milliseconds of processor time of its first process: its progress, independent of load. */
      processorMs: async () => {
        const { pid, status } = await state();
        if (status !== 'running') return 0;
        const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .split(') ')
          .pop()
          .split(' ')
          .slice(11, 13);
        return (Number(user) + Number(system)) * MS_PER_TICK;
      },
      /** Runs a command in the container. Resolves with its exit code. */
      exec: (...command) =>
        tool('exec', '--cwd', spec.process.cwd, id, ...command).then(
          () => 0,
          ({ code }) => code,
        ),
    });
    containers.push({ container, id });
    return container;
  }

  async function run(service, options) {
    const container = launch(service, options);
    return { status: await container.exited, output: container.output };
  }

  /** Starts SERVICE on the port in ENV, else on a free one. Resolves when it is ready. */
  async function start(service, env) {
    const port = env.PORT ?? String(await freePort());
    const container = launch(service, { env: { ...env, PORT: port } });
    const url = `http://127.0.0.1:${port}`;
    await container.becomes(() => isOk(`${url}/health/ready`), `${service} is not ready`);
    return Object.assign(container, { port, url });
  }

  async function remove() {
    for (const { container, id } of containers)
      if (!container.isOver()) execFileSync(runtime, [...runc, 'delete', '--force', id]);
    await images.remove();
    await infra.release();
  }

  return {
    ...{ launch, run, start, newStores, remove },
    ...{ roots: images.roots, configs: images.configs, imageTool: images.tool },
    /** A file of the workspace, or CONTENT instead, that a container can read when it is mounted. */
    file: (path, content = readFileSync(join(root, path))) => {
      const copy = join(folder, 'files', basename(path));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, content, { mode: 0o644 });
      return copy;
    },
  };
}
