// node tools/build/image-files.mjs FOLDER: makes the contents of the images. All images contain FOLDER/node, each one its FOLDER/SERVICE.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeTo } from '../files.mjs';
import { services } from '../workspace.mjs';
import { makeProductionTree, setTimes } from './production-tree.mjs';

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

const [folder] = process.argv.slice(2);
try {
  if (existsSync(folder)) throw new Error(`${folder} already exists.`);
  for (const service of services) await makeProductionTree(service, join(folder, service));
  addNode(join(folder, 'node'));
  setTimes(folder);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
