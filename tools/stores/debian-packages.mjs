// Programs from Debian's packages without root: downloaded and unpacked into a folder of the checkout.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../processes/processes.mjs';

/** Keys of Debian's releases. Ubuntu has it only in the package debian-archive-keyring. */
export const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** apt's settings for SUITE of Debian ("trixie") instead of the machine's. */
function onlyFrom(suite, folder) {
  const list = join(folder, 'sources.list');
  writeFileSync(list, `deb [signed-by=${DEBIAN_KEYRING}] http://deb.debian.org/debian ${suite} main\n`);
  return { 'Dir::Etc::SourceList': list, 'Dir::Etc::SourceParts': '/dev/null' };
}

/** apt-get with its own lists and downloads below FOLDER; packages of the machine count as installed. */
async function aptGet({ folder, suite }, ...args) {
  const at = { state: join(folder, 'state'), cache: join(folder, 'cache') };
  for (const path of [join(at.state, 'lists/partial'), join(at.cache, 'archives/partial')]) {
    mkdirSync(path, { recursive: true });
  }
  const settings = {
    'Dir::State': at.state,
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': at.cache,
    // without the machine's locks, since nothing of the machine changes
    'Debug::NoLocking': 'true',
    'APT::Install-Recommends': 'false',
    ...(suite && onlyFrom(suite, folder)),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const env = { ...process.env, LC_ALL: 'C' };
  await runProgram('apt-get failed', 'apt-get', ['-qq', ...options, ...args], { env });
  return join(at.cache, 'archives');
}

/**
 * The path of PROGRAM (such as `usr/bin/redis-server`) of PACKAGES, unpacked below HOME with the libraries that the machine
 * lacks, once. apt verifies the signatures.
 * @param suite of Debian, where the machine's own has no such package
 * @throws Error with the output of apt-get or dpkg-deb
 */
export async function unpackedProgram(home, packages, program, { suite } = {}) {
  const folder = join(home, packages[0]);
  const started = join(folder, 'start');
  if (existsSync(started)) return started;
  const unfinished = `${folder}.${process.pid}`;
  try {
    const apt = (...args) => aptGet({ folder: unfinished, suite }, ...args);
    await apt('update');
    // installed packages too: their service may be switched off
    const archives = await apt('install', '--download-only', '--reinstall', '-y', ...packages);
    const files = readdirSync(archives).filter((file) => file.endsWith('.deb'));
    const tree = join(unfinished, 'root');
    for (const file of files)
      await runProgram('dpkg-deb failed', 'dpkg-deb', ['--extract', join(archives, file), tree]);
    for (const part of ['state', 'cache']) rmSync(join(unfinished, part), { recursive: true });
    writeStarter(unfinished, program);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return started;
}

/** A script beside the tree that starts PROGRAM with the tree's libraries. */
function writeStarter(folder, program) {
  const lines = [
    '#!/bin/sh',
    'root="$(dirname "$0")/root"',
    'for libraries in "$root"/usr/lib/*-linux-gnu* "$root"/lib/*-linux-gnu*; do',
    '  LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
    'done',
    'export LD_LIBRARY_PATH',
    `exec "$root/${program}" "$@"`,
  ];
  const file = join(folder, 'start');
  writeFileSync(file, `${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}
