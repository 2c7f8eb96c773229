// node tools/build/image-files.mjs FOLDER: makes the contents of the images. All images contain FOLDER/node, each one its FOLDER/SERVICE.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, lutimesSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { writeTo } from '../files.mjs';
import { services } from '../workspace.mjs';
import { pnpm } from '../pnpm.mjs';
import { build } from './build.mjs';

/** The user of the image, as in deploy/ and compose.yaml. */
const IMAGE_USER = 65_532;

const lines = (program, args) => execFileSync(program, args, { encoding: 'utf8' }).split('\n');

/** The shared libraries that PROGRAM needs, and their loader. */
const librariesOf = (program) =>
  lines('ldd', [program]).flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);

/** Copies node and its libraries to FOLDER, and no other program: no shell, no package manager. */
function addNode(folder) {
  const libraries = librariesOf(process.execPath);
  for (const path of libraries) cpSync(realpathSync(path), join(folder, path));
  cpSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'));
  // scanners read the versions of the libraries here
  const owners = lines('dpkg-query', ['-S', ...libraries.map((path) => `*/${basename(path)}`)]);
  const packages = new Set(owners.flatMap((line) => line.split(/[:,] /)[0] || []));
  for (const name of packages)
    writeTo(
      join(folder, 'var/lib/dpkg/status.d', name.split(':')[0]),
      lines('dpkg-query', ['-s', name]).join('\n'),
    );
  writeTo(join(folder, 'etc/passwd'), `service:x:${IMAGE_USER}:${IMAGE_USER}::/app:/sbin/nologin\n`);
  writeTo(join(folder, 'etc/group'), `service:x:${IMAGE_USER}:\n`);
  // resolves host names by /etc/hosts before DNS
  writeTo(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

/** Files for compilers, debuggers and pnpm only; the last two also contain the time of the install. */
const NOT_NEEDED = [
  /\.(d\.[cm]?ts|map|tsbuildinfo)$/,
  /^(pnpm-lock\.yaml|pnpm-workspace\.yaml|README\.md)$/,
  /^node_modules\/(\.modules\.yaml|\.pnpm-workspace-state-v1\.json|\.pnpm\/lock\.yaml)$/,
];

/** Relative paths of every file, link and folder below FOLDER; a folder follows its contents. */
function* entriesOf(folder, below = '') {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* entriesOf(folder, path);
    yield path;
  }
}

function prune(folder) {
  for (const path of [...entriesOf(folder)]) {
    const isFolder = lstatSync(join(folder, path)).isDirectory();
    if (!isFolder && NOT_NEEDED.some((pattern) => pattern.test(path))) rmSync(join(folder, path));
  }
}

/** Sets all modification times to SOURCE_DATE_EPOCH (default 1970), so that the same sources give the same tree. */
function setTimes(folder) {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  for (const path of entriesOf(folder)) lutimesSync(join(folder, path), seconds, seconds);
  lutimesSync(folder, seconds, seconds);
}

/** Puts the built SERVICE with its production dependencies into FOLDER, where it runs without the workspace. */
function addService(service, folder) {
  const options = ['--silent', '--config.package-import-method=clone-or-copy', '--filter', `@fd/${service}`];
  if (pnpm([...options, 'deploy', '--prod', resolve(folder)]) !== 0)
    throw new Error(`pnpm could not put ${service} into ${folder}.`);
  prune(folder);
}

const [folder] = process.argv.slice(2);
try {
  if (existsSync(folder)) throw new Error(`${folder} already exists.`);
  await build(services);
  for (const service of services) addService(service, join(folder, service));
  addNode(join(folder, 'node'));
  setTimes(folder);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
