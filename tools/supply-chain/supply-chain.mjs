// node tools/supply-chain/supply-chain.mjs [--offline]: checks the dependencies that the services ship. Exit code 1: a rule is broken, there is an
// advisory, or the registry does not answer. --offline does not ask the registry for advisories.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { read, readJson } from '../files.mjs';
import { fetchProblems, installedProblems, integrityProblems, pinProblems } from './supply-chain-rules.mjs';
import { FETCHED_PROGRAMS } from './fetched-programs.mjs';
import { pnpm } from '../pnpm.mjs';
import { root } from '../workspace.mjs';

const APPS = ['users-service', 'master-service'];

/** Lockfiles of packages outside of the product. */
const OTHER_LOCKFILES = ['bench/pnpm-lock.yaml', 'guide/pnpm-lock.yaml'];

/** The package.json of the workspace and of each project, by path. */
function manifests() {
  const projects = ['apps', 'libs', 'examples'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => `${kind}/${name}/package.json`),
  );
  return Object.fromEntries(['package.json', ...projects].map((path) => [path, readJson(path)]));
}

/** The files that run builds, by path. */
function buildSources() {
  const workflows = readdirSync(join(root, '.github/workflows')).map((file) => `.github/workflows/${file}`);
  return Object.fromEntries([...workflows, '.ci/run', 'docker/Dockerfile'].map((path) => [path, read(path)]));
}

function problemsOf(app, { allowBuilds }) {
  // with the dots: the libraries have dependencies too
  const list = ['licenses', 'list', '--json', '--prod', '--filter-prod', `@fd/${app}...`];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const answer = execFileSync(process.execPath, [join(root, 'tools/pnpm.mjs'), ...list], options);
  const installed = Object.values(JSON.parse(answer)).flat();
  if (installed.length === 0) throw new Error(`pnpm lists no packages of ${app}: is it installed?`);
  console.log(`${app}: ${installed.length} packages in production`);
  return installedProblems(app, installed, allowBuilds);
}

const workspace = parse(read('pnpm-workspace.yaml'));
const problems = [
  ...pinProblems(manifests(), workspace),
  ...['pnpm-lock.yaml', ...OTHER_LOCKFILES].flatMap((path) => integrityProblems(parse(read(path)), path)),
  ...fetchProblems(FETCHED_PROGRAMS, readJson('package.json').packageManager, buildSources()),
  ...APPS.flatMap((app) => problemsOf(app, workspace)),
];
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log('versions, hashes, licences and install scripts are as they must be');
const isOffline = process.argv.includes('--offline');
if (isOffline) console.log('advisories were not checked (--offline)');
process.exitCode = problems.length > 0 || (!isOffline && pnpm(['audit', '--prod']) !== 0) ? 1 : 0;
