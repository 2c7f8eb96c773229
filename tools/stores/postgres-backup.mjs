// A backup of a PostgreSQL of ours and its restore to a moment, with what every PostgreSQL has: a copy of its data and the
// archive of its WAL. docs/runbooks/backup-and-restore.md does the same with tools for production.
import { appendFile, chown, copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { places } from './postgres.mjs';
import { runProgram } from '../processes/processes.mjs';

function placesOf(home) {
  const { user, folder, data } = places(home);
  return { user, data, archive: join(folder, 'archive'), backup: join(folder, 'backup') };
}

/** PostgreSQL reads only what is its own. */
const give = async (user, path) => user && chown(path, user.uid, user.gid);

async function makeFolder(user, path) {
  await mkdir(path, { mode: 0o700 });
  await give(user, path);
}

/**
 * Has the PostgreSQL of HOME, behind URL, archive its WAL once it is started again: each second in which there is any.
 * The archive is outside of its data.
 */
export async function archiveWal(home, url) {
  const { user, archive } = placesOf(home);
  await makeFolder(user, archive);
  await withClient(url, async (client) => {
    await client.query('ALTER SYSTEM SET archive_mode = on');
    await client.query(
      `ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f'`,
    );
    await client.query('ALTER SYSTEM SET archive_timeout = 1');
  });
}

/** Copies the data of the PostgreSQL of HOME while it serves. Returns how many bytes. */
export async function takeBackup(home, url) {
  const { user, data, backup } = placesOf(home);
  return withClient(url, async (client) => {
    // a backup ends with the connection that has begun it
    await client.query("SELECT pg_backup_start('a drill', true)");
    const bytes = await copyLive(user, data, backup);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
    await writeFile(join(backup, 'backup_label'), rows[0].labelfile);
    await give(user, join(backup, 'backup_label'));
    return bytes;
  });
}

/** They say that a server runs. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts'];

/** Copies a folder that is being written to. */
async function copyLive(user, from, to) {
  await makeFolder(user, to);
  let bytes = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    // comes from the archive
    if (entry.name === 'pg_wal') await makeFolder(user, target);
    else if (entry.isDirectory()) bytes += await copyLive(user, source, target);
    else if (!LEFT_OUT.includes(entry.name)) bytes += await copyFileLive(user, source, target);
  }
  return bytes;
}

async function copyFileLive(user, source, target) {
  try {
    await copyFile(source, target);
  } catch (error) {
    // what is dropped meanwhile is dropped again from the WAL
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
  await give(user, target);
  return (await stat(target)).size;
}

/**
 * Loses the data of the stopped PostgreSQL of HOME, and puts the backup in its place: when it is started it replays the
 * archive up to TIME (an ISO 8601 text) and then is a primary again. Returns how many segments of 16 MB the archive has.
 */
export async function restoreTo(home, time) {
  const { user, data, archive, backup } = placesOf(home);
  await rm(data, { recursive: true });
  await runProgram('cp failed', 'cp', ['-a', backup, data]);
  const settings = [
    `restore_command = 'cp ${archive}/%f %p'`,
    `recovery_target_time = '${time}'`,
    "recovery_target_action = 'promote'",
  ];
  await appendFile(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await writeFile(join(data, 'recovery.signal'), '');
  await give(user, join(data, 'recovery.signal'));
  return (await readdir(archive)).filter((name) => /^[0-9A-F]{24}$/.test(name)).length;
}

async function withClient(url, work) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
