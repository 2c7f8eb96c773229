// Programs of the machine that no package of npm has: found on the PATH, or installed from Debian's packages.
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

async function installWithApt(apt, debianPackage, say) {
  say(`This machine lacks a program: installing the package ${debianPackage} (as root, with apt-get) ...`);
  // RUNLEVEL=1 keeps the package from starting a service of its own; another apt-get may be at work
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
 * Path of a program of one of NAMES, whose package is installed where it can be.
 * @throws Error with HELP when there is none
 */
export async function systemProgram({ names, debianPackage, help, say = () => {} }) {
  const apt = onPath('apt-get');
  if (!onPath(...names) && process.getuid?.() === 0 && apt && process.env.NO_APT !== '1')
    await installWithApt(apt, debianPackage, say);
  const found = onPath(...names);
  if (!found) throw new Error(help);
  return found;
}
