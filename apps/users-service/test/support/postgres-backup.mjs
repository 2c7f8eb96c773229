// Backup of a PostgreSQL, its restore to a point in time, and a standby, with PostgreSQL's own means: a base backup and an archive of
// the WAL. docs/runbooks/backup-and-restore.md does this with tools for production.
import { appendFile, chown, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { places, withClient } from '../../../../tools/stores/postgres.mjs';
import { runProgram } from '../../../../tools/processes/processes.mjs';

function placesOf(home) {
  const { user, folder, data } = places(home);
  return { user, data, archive: join(folder, 'archive'), backup: join(folder, 'backup') };
}

/** PostgreSQL reads only files of its own user. */
const give = async (user, path) => user && chown(path, user.uid, user.gid);

async function makeFolder(user, path) {
  await mkdir(path, { mode: 0o700 });
  await give(user, path);
}

/**
 * Configures the PostgreSQL of HOME, at URL, to archive its WAL every second once it is restarted. The archive is outside of
 * its data.
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

/** Copies the data of the running PostgreSQL of HOME. Returns the number of bytes. */
export async function takeBackup(home, url) {
  const { user, data, backup } = placesOf(home);
  return withClient(url, async (client) => {
    // a backup ends with the connection that started it
    await client.query("SELECT pg_backup_start('a drill', true)");
    const bytes = await copyLive(user, data, backup);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
    await writeFile(join(backup, 'backup_label'), rows[0].labelfile);
    await give(user, join(backup, 'backup_label'));
    return bytes;
  });
}

/** Files of a running server. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts'];

/** Copies a folder during writes to it. */
async function copyLive(user, from, to) {
  await makeFolder(user, to);
  let bytes = 0;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    // restored from the archive
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
    // a file that was deleted meanwhile is deleted by the WAL too
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
  await give(user, target);
  return (await stat(target)).size;
}

/**
 * Replaces the data of the stopped PostgreSQL of HOME by the backup. When it is started, it replays the archive up to TIME (ISO
 * 8601) and is a primary again. Returns the number of archived segments of 16 MB.
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

/** Makes HOME a standby of PRIMARY, a stopped PostgreSQL, which will listen on its port again. */
export async function makeStandby(home, primary) {
  const from = places(primary.home);
  const { user, folder, data, password } = places(home);
  // keeps the owner: the server does not start with another one
  await runProgram('cp failed', 'cp', ['-a', from.folder, folder]);
  const { port } = new URL(primary.url('postgres'));
  const access = `user=postgres password=${await readFile(password, 'utf8')}`;
  const conninfo = `primary_conninfo = 'host=127.0.0.1 port=${port} ${access}'\n`;
  await appendFile(join(data, 'postgresql.auto.conf'), conninfo);
  const signalFile = join(data, 'standby.signal');
  await writeFile(signalFile, '');
  await give(user, signalFile);
}
