// Programs that are not on the npm registry: the machine's own, or Debian's packages where we may install them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

function onPath(...names) {
  const usual = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...usual];
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}

async function installWithApt(apt, { what, debianPackage }, say) {
  say(`No ${what} on this machine: installing the package ${debianPackage} (as root, with apt-get) ...`);
  // RUNLEVEL=1 keeps a package from starting a service of its own; another apt-get may be at work
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = ['-y', '-qq', '-o', 'DPkg::Lock::Timeout=180'];
  try {
    await run(apt, ['update', ...options], { env });
    await run(apt, ['install', ...options, '--no-install-recommends', debianPackage], { env });
  } catch (error) {
    say(`apt-get failed: ${(error.stderr || error.message).trim()}`);
  }
}

/**
 * Path of the first of NAMES that the machine has. Where there is none, root on a machine with Debian's packages gets
 * DEBIAN_PACKAGE installed, unless NO_APT is 1; on any other machine that is an error with HELP. SAY gets a line when
 * an installation takes long.
 */
export async function findProgram({ what, names, debianPackage, help }, say = () => {}) {
  const find = () => onPath(...names);
  const apt = onPath('apt-get');
  if (!find() && process.getuid?.() === 0 && apt && process.env.NO_APT !== '1')
    await installWithApt(apt, { what, debianPackage }, say);
  const found = find();
  if (!found) throw new Error(help);
  return found;
}
