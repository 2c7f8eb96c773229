// npm run supply-chain [-- --offline]: whether what the services ship of others may be shipped.
// Exit code 0: all rules hold; 1: one does not; 3: all that could be checked holds, but the registry gave no
// advisories, so nobody knows whether any apply. --offline does not ask for them and ends with 0 or 1.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import {
  advisoryProblems,
  fetchProblems,
  installedProblems,
  integrityProblems,
  pinProblems,
} from './supply-chain-rules.mjs';
import { FETCHED_PROGRAMS } from './fetched-programs.mjs';
import { root } from '../workspace.mjs';

const APPS = ['users-service', 'master-service'];
const NO_ADVISORIES = 3;

/** Of packages that are no part of the product. */
const OTHER_LOCKFILES = ['bench', 'guide', 'tools/api/checks'].map((folder) => `${folder}/pnpm-lock.yaml`);

const textOf = (...path) => readFileSync(join(root, ...path), 'utf8');

/** The package.json of the workspace and of each project, by path. */
function manifests() {
  const projects = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(kind, name, 'package.json')),
  );
  const paths = ['package.json', ...projects].filter((path) => existsSync(join(root, path)));
  return Object.fromEntries(paths.map((path) => [path, JSON.parse(textOf(path))]));
}

/** A lockfile begins with a document about pnpm itself when it records its version; the last one is ours. */
const lockfile = (path) => parseAllDocuments(textOf(path)).at(-1).toJS();

/** What builds consist of, by path: their programs, and what runs them. */
function buildSources() {
  const programs = ['tools', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((file) => /\.mjs$/.test(file) && !/node_modules|\.(spec|system|soak)\.|-rules\.mjs$/.test(file))
      .map((file) => join(folder, file)),
  );
  const paths = [
    ...programs,
    '.ci/run',
    '.github/workflows/release.yml',
    'docker/Dockerfile',
    'package.json',
  ];
  return Object.fromEntries(paths.map((path) => [path, textOf(path)]));
}

/** What pnpm answers to ARGS as JSON; undefined when it answers anything else. */
function askPnpm(...args) {
  const { stdout } = spawnSync(process.execPath, [join(root, 'tools/pnpm.mjs'), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function problemsOf(app, { allowBuilds }) {
  // with the dots, since the libraries have dependencies of their own
  const byLicence = askPnpm('licenses', 'list', '--json', '--prod', '--filter-prod', `@fd/${app}...`);
  const installed = Object.values(byLicence ?? {}).flat();
  if (installed.length === 0) throw new Error(`pnpm does not tell what ${app} consists of: is it installed?`);
  console.log(`${app}: ${installed.length} packages in production`);
  return installedProblems(app, installed, allowBuilds);
}

/** The registry's advisories about the production tree; undefined when it gives none. */
function advisories() {
  const report = askPnpm('audit', '--prod', '--json');
  return report?.metadata ? advisoryProblems(report) : undefined;
}

function main(args) {
  const workspace = parse(textOf('pnpm-workspace.yaml'));
  const found = args.includes('--offline') ? [] : advisories();
  const problems = [
    ...pinProblems(manifests(), workspace),
    ...['pnpm-lock.yaml', ...OTHER_LOCKFILES].flatMap((path) => integrityProblems(lockfile(path), path)),
    ...fetchProblems(FETCHED_PROGRAMS, JSON.parse(textOf('package.json')).packageManager, buildSources()),
    ...APPS.flatMap((app) => problemsOf(app, workspace)),
    ...(found ?? []),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  console.log('versions, hashes, licences and install scripts are as they must be');
  if (args.includes('--offline')) console.log('advisories were not asked for (--offline)');
  else if (found) console.log('the registry knows of no advisory');
  else console.error('no advisory data could be had: the registry does not answer that question');
  return found ? 0 : NO_ADVISORIES;
}

process.exitCode = main(process.argv.slice(2));
