// Finds programs that the npm registry lacks: first the machine's own; else Debian's packages, installed by root or unpacked below .data;
// else Homebrew's. Redis may also run in Docker.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { dataPath } from '../workspace.mjs';
import { runProgram } from '../processes/processes.mjs';
import { DEBIAN_KEYRING, unpackedProgram } from './debian-packages.mjs';

const REDIS = {
  what: 'Redis',
  names: ['valkey-server', 'redis-server'],
  debianPackage: 'redis-server',
  unpacked: { packages: ['redis-server', 'redis-tools'], program: 'usr/bin/redis-server' },
  formula: 'redis',
  runsInDocker: true,
  help: `There is no Redis on this machine. Install redis, valkey or Docker, or set REDIS_URL to a server you have; then start
again.`,
};

const HAPROXY = {
  what: 'HAProxy',
  names: ['haproxy'],
  debianPackage: 'haproxy',
  help: `There is no HAProxy (2.6 or newer) on this machine, which the tests of the gateway run. Install it:
  Debian/Ubuntu "apt-get install haproxy", macOS "brew install haproxy".`,
};

const PGBOUNCER = {
  what: 'PgBouncer',
  names: ['pgbouncer'],
  debianPackage: 'pgbouncer',
  formula: 'pgbouncer',
  help: 'There is no PgBouncer on this machine, which tests put in front of PostgreSQL: install pgbouncer with apt-get or Homebrew.',
};

/** Keys that verify Debian's packages on Ubuntu. */
const KEYRING = {
  what: "keyring of Debian's releases",
  file: DEBIAN_KEYRING,
  debianPackage: 'debian-archive-keyring',
};

/**
 * Always Debian 13's version, which earlier releases and Ubuntu lack but can run: version 3 has other options.
 */
export const COSIGN = {
  what: 'cosign',
  names: [],
  keyring: KEYRING,
  unpacked: { packages: ['cosign'], program: 'usr/bin/cosign', suite: 'trixie' },
  help: `cosign, which signs images, could not be fetched from Debian 13 (deb.debian.org): this needs Debian or Ubuntu, and on Ubuntu
"apt-get install debian-archive-keyring".`,
};

const CHROMIUM = {
  what: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  debianPackage: 'chromium',
  help: `There is no Chromium on this machine, in which the console is tested. Do one of these and start again:
  - set CHROMIUM to the program of a Chromium or Chrome that you have
  - install one: Debian "apt-get install chromium", Fedora "dnf install chromium", macOS "brew install --cask chromium"`,
};

/** The image registry of tests. */
const REGISTRY = {
  what: 'docker-registry',
  names: ['docker-registry'],
  debianPackage: 'docker-registry',
  help: 'There is no docker-registry on this machine, to which tests publish images: install it with apt-get.',
};

/** Programs that build and run images; they need root, and only Debian and Ubuntu have all of them. */
const imageTool = (name) => ({
  what: name,
  names: [name],
  debianPackage: name,
  help: `There is no ${name} on this machine, with which images are built and run: this needs root on Debian or Ubuntu.`,
});

/** Builds the base of images from Debian's packages. */
export const DEBOOTSTRAP = { ...imageTool('mmdebstrap'), keyring: KEYRING };

function onPath(...names) {
  const usual = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...usual];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

async function installWithApt(apt, { what, debianPackage }, say) {
  say(`No ${what} on this machine: installing the package ${debianPackage} (as root, with apt-get) ...`);
  // RUNLEVEL=1 keeps packages from starting services; waits for another apt-get
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = ['-y', '-qq', '-o', 'DPkg::Lock::Timeout=180'];
  const install = ['install', ...options, '--no-install-recommends', debianPackage];
  try {
    for (const args of [['update', ...options], install])
      await runProgram('apt-get failed', apt, args, { env });
  } catch (error) {
    say(error.message);
  }
}

/** Returns the path of the unpacked program; undefined if that fails, with the reason passed to SAY. */
async function unpackedFromDebian({ what, unpacked: { packages, program, ...from } }, say) {
  say(`No ${what} on this machine: taking the package ${packages[0]}, unpacked below .data ...`);
  try {
    return await unpackedProgram(dataPath('programs'), packages, program, from);
  } catch (error) {
    say(error.message);
    return undefined;
  }
}

async function installWithHomebrew(brew, { what, formula }, say) {
  say(`No ${what} on this machine: installing the formula ${formula} with Homebrew ...`);
  await runProgram('brew failed', brew, ['install', '--quiet', formula]).catch(({ message }) => say(message));
}

/**
 * Returns a function that finds the path of PROGRAM. If the machine lacks it, root installs it from Debian's packages, other
 * users unpack it from them, or Homebrew installs it. If that fails and the program runs in Docker, the path is that of docker.
 * Root first installs Debian's keyring if the program needs it and it is missing.
 * NO_APT=1 disables Debian's packages. SAY gets a line when that takes long.
 * @throws Error that says what to do, when no way works
 */
export const finderOf =
  (program) =>
  async (say = () => {}) => {
    const found = () => onPath(...program.names);
    const [apt, brew] = [process.env.NO_APT === '1' ? undefined : onPath('apt-get'), onPath('brew')];
    const isRoot = process.getuid?.() === 0;
    let unpacked;
    const { keyring } = program;
    if (apt && keyring && isRoot && !existsSync(keyring.file)) await installWithApt(apt, keyring, say);
    if (found()) return found();
    if (apt && program.debianPackage && isRoot) await installWithApt(apt, program, say);
    else if (apt && program.unpacked) unpacked = await unpackedFromDebian(program, say);
    else if (brew && program.formula) await installWithHomebrew(brew, program, say);
    const path = unpacked ?? found() ?? (program.runsInDocker ? onPath('docker') : undefined);
    if (!path) throw new Error(program.help);
    return path;
  };

export const redisProgram = finderOf(REDIS);
export const haproxyProgram = finderOf(HAPROXY);
export const pgbouncerProgram = finderOf(PGBOUNCER);
export const signingProgram = finderOf(COSIGN);
export const registryProgram = finderOf(REGISTRY);
/** Prometheus with promtool. */
const prometheusProgram = (name) => ({
  what: name,
  names: [name],
  debianPackage: 'prometheus',
  formula: 'prometheus',
  help: `There is no ${name} on this machine: install prometheus with apt-get or Homebrew.`,
});

export const promtoolProgram = finderOf(prometheusProgram('promtool'));
export const prometheusServer = finderOf(prometheusProgram('prometheus'));
export const imageProgram = finderOf(imageTool('buildah'));
export const debootstrapProgram = finderOf(DEBOOTSTRAP);
export const containerProgram = finderOf(imageTool('podman'));
export const containerRuntime = finderOf(imageTool('runc'));
const chromiumProgram = finderOf(CHROMIUM);
export const browserProgram = async (say) => process.env.CHROMIUM || (await chromiumProgram(say));
