// For specs: containers of the images, run as in a cluster.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { recorded } from '../dev/spec-workspace.mjs';
import { isOk, until } from '../processes/processes.mjs';
import { throwawayInfra } from '../stores/infra.mjs';
import { containerProgram, containerRuntime } from '../stores/machine-programs.mjs';
import { freePort } from '../stores/ports.mjs';
import { createDatabase, createServiceRole } from '../stores/postgres.mjs';
import { buildImages, imageName, UNRELEASED } from './images.mjs';

/** As deploy/ runs containers, on the machine's network, where the stores are. Limits of resources that any machine allows. */
const RESTRICTIONS = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'],
  ...['--memory=512m', '--network=host', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'],
];

/**
 * Builds the images of SERVICES and starts a PostgreSQL and a Redis. Returns folder (for files), roots (by service), newStores(),
 * launch(), run(), start() and remove().
 */
export async function startContainers(services) {
  const [podman, runc] = [await containerProgram(console.log), await containerRuntime(console.log)];
  const infra = await throwawayInfra('images');
  const folder = infra.temporary;
  const images = await buildImages(services, folder, console.log).catch(async (error) => {
    await infra.release();
    throw error;
  });
  const options = [
    ...images.storage,
    '--cgroup-manager=cgroupfs',
    '--events-backend=none',
    `--runtime=${runc}`,
  ];
  const tool = (...command) => promisify(execFile)(podman, [...options, ...command]);
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
  function launch(service, { args = [], env = {}, files = {} }) {
    const id = `fd-${process.pid}-${containers.length}`;
    const given = Object.entries(env).map(([name, value]) => `--env=${name}=${value}`);
    const mounts = Object.entries(files).map(([at, file]) => `--volume=${file}:${at}:ro`);
    const run = ['run', '--rm', `--name=${id}`, '--log-driver=none', ...RESTRICTIONS, ...given, ...mounts];
    const container = recorded(podman, [...options, ...run, imageName(service, UNRELEASED), ...args]);
    containers.push({ container, id });
    return Object.assign(container, {
      /** Sends SIGTERM to its first process, as a cluster does. Resolves with its exit code; undefined if it still runs. */
      end: async () => {
        await tool('kill', '--signal=TERM', id);
        await until(container.isOver, { limit: 60_000 });
        return container.isOver() ? container.exited : undefined;
      },
      /** Runs a command in the container. Resolves with its exit code. */
      exec: (...command) =>
        tool('exec', id, ...command).then(
          () => 0,
          ({ code }) => code,
        ),
    });
  }

  /** Runs a container of SERVICE to its end. */
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
    for (const { container, id } of containers) if (!container.isOver()) await tool('rm', '--force', id);
    await images.remove();
    await infra.release();
  }

  return { folder, roots: images.roots, newStores, launch, run, start, remove };
}
