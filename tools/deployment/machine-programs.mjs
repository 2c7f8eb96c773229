// Programs that are not on the npm registry: the machine's own, or Debian's packages where we may install them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const REDIS = {
  what: 'Redis',
  names: ['valkey-server', 'redis-server'],
  debianPackage: 'redis-server',
  help: `There is no Redis on this machine. Do one of these and start again:
  - set REDIS_URL to a server you have (redis://host:6379)
  - install one: Debian/Ubuntu "apt-get install redis-server", macOS "brew install redis" (or valkey)
  - docker run --rm -p 6379:6379 redis:8, and set REDIS_URL=redis://127.0.0.1:6379`,
};

const HAPROXY = {
  what: 'HAProxy',
  names: ['haproxy'],
  debianPackage: 'haproxy',
  help: `There is no HAProxy (2.6 or newer) on this machine, which the tests of the gateway run. Install it:
  Debian/Ubuntu "apt-get install haproxy", macOS "brew install haproxy".`,
};

const CHROMIUM = {
  what: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  debianPackage: 'chromium',
  help: `There is no Chromium on this machine, in which the console is tested. Do one of these and start again:
  - set CHROMIUM to the program of a Chromium or Chrome that you have
  - install one: Debian "apt-get install chromium", Fedora "dnf install chromium", macOS "brew install --cask chromium"`,
};

function onPath(...names) {
  const usual = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...usual];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
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
 * Returns a function that finds the path of PROGRAM. Where the machine has none, root on a machine with Debian's packages
 * gets it installed, unless NO_APT is 1; on any other machine that is an error that says what to do. SAY gets a line
 * when an installation takes long.
 */
const finderOf =
  (program) =>
  async (say = () => {}) => {
    const apt = onPath('apt-get');
    if (!onPath(...program.names) && process.getuid?.() === 0 && apt && process.env.NO_APT !== '1')
      await installWithApt(apt, program, say);
    const found = onPath(...program.names);
    if (!found) throw new Error(program.help);
    return found;
  };

export const redisProgram = finderOf(REDIS);
export const haproxyProgram = finderOf(HAPROXY);
const chromiumProgram = finderOf(CHROMIUM);
export const browserProgram = async (say) => process.env.CHROMIUM || (await chromiumProgram(say));
