// node tools/release/build.mjs TAG FOLDER: builds a release in FOLDER: of each service the image (SERVICE.tar) and its bill of materials
// (SERVICE.cdx.json), and the packed client. NODE_IMAGE is the base, by digest. Runs code of dependencies. Needs root on Debian or Ubuntu.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { read, readJson } from '../files.mjs';
import { buildInto, imageName, imageStore } from '../deployment/images.mjs';
import { pnpm } from '../pnpm.mjs';
import { runProgram } from '../processes/processes.mjs';
import { root, services } from '../workspace.mjs';
import { billOfImage } from './bill-of-materials.mjs';
import { archiveOf, runStep, setting, versionOf } from './release.mjs';

/** The base image: the Dockerfile's, by digest. */
function pinnedBase() {
  const base = setting('NODE_IMAGE');
  const [, tag] = /^ARG NODE_IMAGE=node:(\S+)$/m.exec(read('docker/Dockerfile'));
  const isPinned = base.startsWith('localhost/') || /@sha256:[0-9a-f]{64}$/.test(base.split(`:${tag}`)[1]);
  if (!isPinned)
    throw new Error(`NODE_IMAGE must be docker.io/library/node:${tag}@sha256:..., not "${base}".`);
  return base;
}

/** Writes dist/fd-SERVICE.cdx.json, the bill of materials of each service's packages. */
function writeBills() {
  const apps = services.map((service) => `--filter=@fd/${service}`);
  const format = ['--sbom-format=cyclonedx', '--sbom-spec-version=1.6', '--sbom-type=application'];
  const options = ['--prod', '--lockfile-only', '--split', '--out=dist/%s.cdx.json', ...format];
  if (pnpm([...apps, 'sbom', ...options]) !== 0) throw new Error('There is no bill of materials.');
}

/** The version of Node.js and the Debian packages in IMAGE of STORE. */
async function contentsOf(store, image) {
  const container = await store.tool('from', image);
  const at = await store.tool('mount', container);
  const node = await store.tool('run', '--isolation', 'chroot', container, '--', 'node', '--version');
  const status = join(at, 'var/lib/dpkg/status.d');
  const packages = readdirSync(status).map((name) => readFileSync(join(status, name), 'utf8'));
  await store.tool('rm', container);
  return { node: node.replace('v', ''), packages };
}

await runStep(async (tag, folder) => {
  const version = versionOf(tag);
  const base = pinnedBase();
  if (existsSync(folder)) throw new Error(`${folder} already exists.`);
  mkdirSync(folder, { recursive: true });
  const store = await imageStore(resolve(folder), console.log);
  await buildInto(store, services, { base, version });
  writeBills();
  for (const service of services) {
    const bill = readJson(`dist/fd-${service}.cdx.json`);
    const contents = await contentsOf(store, imageName(service, version));
    const whole = billOfImage(bill, { version, ...contents });
    writeFileSync(join(folder, `${service}.cdx.json`), JSON.stringify(whole));
    await store.tool(
      'push',
      '--quiet',
      imageName(service, version),
      `oci-archive:${archiveOf(store.folder, service)}`,
    );
    console.log(`built ${service} ${version} with ${whole.components.length} components`);
  }
  await store.remove();
  const pack = ['pack', '--silent', '--pack-destination', store.folder];
  await runProgram('The client cannot be packed', 'npm', pack, { cwd: join(root, 'libs/client') });
});
