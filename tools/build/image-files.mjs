// Makes what images hold: node tools/build/image-files.mjs FOLDER. FOLDER/node is common to all, FOLDER/SERVICE each one's own.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { services } from '../workspace.mjs';
import { makeProductionTree, stopClock } from './production-tree.mjs';

/** Whom the image runs as; deploy/ and compose.yaml say so too. */
const IMAGE_USER = 65_532;

const lines = (program, args) => execFileSync(program, args, { encoding: 'utf8' }).split('\n');

/** The libraries that PROGRAM loads, and what loads them. */
const librariesOf = (program) =>
  lines('ldd', [program]).flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Puts into FOLDER what node needs to run, and no other program: neither a shell nor a package manager. */
function addNode(folder) {
  const libraries = librariesOf(process.execPath);
  for (const path of libraries) cpSync(realpathSync(path), join(folder, path));
  cpSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'));
  // where scanners look for the versions of what was copied
  const owners = lines('dpkg-query', ['-S', ...libraries.map((path) => `*/${basename(path)}`)]);
  const packages = new Set(owners.flatMap((line) => line.split(/[:,] /)[0] || []));
  for (const name of packages)
    write(
      join(folder, 'var/lib/dpkg/status.d', name.split(':')[0]),
      lines('dpkg-query', ['-s', name]).join('\n'),
    );
  write(join(folder, 'etc/passwd'), `service:x:${IMAGE_USER}:${IMAGE_USER}::/app:/sbin/nologin\n`);
  write(join(folder, 'etc/group'), `service:x:${IMAGE_USER}:\n`);
  // names of hosts: the file before the servers
  write(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

const [folder] = process.argv.slice(2);
try {
  if (existsSync(folder)) throw new Error(`${folder} is there already.`);
  for (const service of services) await makeProductionTree(service, join(folder, service));
  addNode(join(folder, 'node'));
  stopClock(folder);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
