// Finds programs that the npm registry lacks: first the machine's own; else Debian's packages, installed by root or unpacked below .data;
// else Homebrew's.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { dataPath } from '../workspace.mjs';
import { runProgram } from '../processes/processes.mjs';
import { DEBIAN_KEYRING, unpackedProgram } from './debian-packages.mjs';
import { withLock } from './lock.mjs';

/** Keys that verify Debian's packages on Ubuntu. */
const KEYRING = {
  what: "keyring of Debian's releases",
  file: DEBIAN_KEYRING,
  debianPackage: 'debian-archive-keyring',
};

/** PROGRAM of Debian's package; OTHERS are further fields. By default the error says how to install it. */
const packaged = (program, others = {}) => {
  const debianPackage = others.debianPackage ?? program;
  const brew = others.formula ? ` or Homebrew` : '';
  const help = `There is no ${program} on this machine: install ${debianPackage} with apt-get${brew}.`;
  return { what: program, names: [program], debianPackage, help, ...others };
};

const REDIS = packaged('redis-server', {
  what: 'Redis',
  names: ['valkey-server', 'redis-server'],
  unpacked: { packages: ['redis-server', 'redis-tools'], program: 'usr/bin/redis-server' },
  formula: 'redis',
  help: `There is no Redis on this machine. Install redis or valkey, or set REDIS_URL to a server you have, such as one of
"docker run --rm -p 6379:6379 redis:8" (REDIS_URL=redis://127.0.0.1:6379); then start again.`,
});

/** Always Debian 13's version, which earlier releases and Ubuntu lack but can run: version 3 has other options. */
const COSIGN = {
  what: 'cosign',
  names: [],
  keyring: KEYRING,
  unpacked: { packages: ['cosign'], program: 'usr/bin/cosign', suite: 'trixie' },
  help: `cosign, which signs images, could not be fetched from Debian 13 (deb.debian.org): this needs Debian or Ubuntu, and on Ubuntu
"apt-get install debian-archive-keyring".`,
};

const CHROMIUM = packaged('chromium', {
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  help: `There is no Chromium on this machine, in which the console is tested. Do one of these and start again:
  - set CHROMIUM to the program of a Chromium or Chrome that you have
  - install one: Debian "apt-get install chromium", Fedora "dnf install chromium", macOS "brew install --cask chromium"`,
});

function onPath(...names) {
  const usual = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...usual];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** Installs a package unless IS_THERE; one at a time, since `apt-get update` does not wait for another one. */
async function installWithApt(apt, { what, debianPackage }, isThere, say) {
  say(`No ${what} on this machine: installing the package ${debianPackage} (as root, with apt-get) ...`);
  // RUNLEVEL=1 keeps packages from starting services; waits for another apt-get
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = ['-y', '-qq', '-o', 'DPkg::Lock::Timeout=180'];
  const install = ['install', ...options, '--no-install-recommends', debianPackage];
  const work = async () => {
    if (isThere()) return;
    // the lists may suffice although they cannot be renewed
    for (const args of [['update', ...options], install])
      await runProgram('apt-get failed', apt, args, { env }).catch(({ message }) => say(message));
  };
  await withLock(join(tmpdir(), 'fd-apt.lock'), work).catch(({ message }) => say(message));
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
 * users unpack it from them, or Homebrew installs it.
 * Root first installs Debian's keyring if the program needs it and it is missing.
 * NO_APT=1 disables Debian's packages. SAY gets a line when that takes long.
 * @throws Error that says what to do, when no way works
 */
const finderOf =
  (program) =>
  async (say = () => {}) => {
    const found = () => onPath(...program.names);
    const [apt, brew] = [process.env.NO_APT === '1' ? undefined : onPath('apt-get'), onPath('brew')];
    const isRoot = process.getuid?.() === 0;
    let unpacked;
    const { keyring } = program;
    const hasKeyring = () => !keyring || existsSync(keyring.file);
    if (apt && isRoot && !hasKeyring()) await installWithApt(apt, keyring, hasKeyring, say);
    if (found()) return found();
    if (apt && program.debianPackage && isRoot) await installWithApt(apt, program, found, say);
    else if (apt && program.unpacked) unpacked = await unpackedFromDebian(program, say);
    else if (brew && program.formula) await installWithHomebrew(brew, program, say);
    const path = unpacked ?? found();
    if (!path) throw new Error(program.help);
    return path;
  };

export const redisProgram = finderOf(REDIS);
// 2.6 or newer
export const haproxyProgram = finderOf(packaged('haproxy', { formula: 'haproxy' }));
export const pgbouncerProgram = finderOf(packaged('pgbouncer', { formula: 'pgbouncer' }));
export const signingProgram = finderOf(COSIGN);
export const registryProgram = finderOf(packaged('docker-registry'));
export const promtoolProgram = finderOf(
  packaged('promtool', { debianPackage: 'prometheus', formula: 'prometheus' }),
);
// these build and run images, as root
export const containerProgram = finderOf(packaged('podman'));
export const imageProgram = finderOf(packaged('buildah'));
export const debootstrapProgram = finderOf(packaged('mmdebstrap', { keyring: KEYRING }));
export const containerRuntime = finderOf(packaged('runc'));
export const browserProgram = async (say) => process.env.CHROMIUM || finderOf(CHROMIUM)(say);
