// npm run check [-- REVISION]: lists the changes of docs/openapi since REVISION that break clients. REVISION defaults to
// the latest release (a tag v...), else to where this branch left main; on main, to the commit before.
// Exit code 0: none, or all are in docs/openapi/accepted-changes.json; 1: others; 2: wrong arguments.
import { spawnSync } from 'node:child_process';
import { readJson } from '../files.mjs';
import { breakingChanges } from './openapi-changes.mjs';
import { DOCUMENTED_SERVICES, documentPath } from './openapi-documents.mjs';
import { given, root } from '../workspace.mjs';

const ACCEPTED = 'docs/openapi/accepted-changes.json';

/** The output of git; undefined when it fails. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  return status === 0 ? stdout.trim() : undefined;
}

const commitOf = (name) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/** The revision to compare with: {name, commit}; no commit in a repository with one commit. */
function baseline() {
  // on a release GitHub names its tag: compare with the release before
  const own = given('GITHUB_REF_NAME') ? ['--exclude', given('GITHUB_REF_NAME')] : [];
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*', ...own);
  if (tag) return { name: tag, commit: commitOf(tag) };
  const branch = ['origin/main', 'main'].find(commitOf);
  const forked = branch && git('merge-base', 'HEAD', branch);
  if (forked && forked !== commitOf('HEAD')) return { name: `where this left ${branch}`, commit: forked };
  return { name: 'the commit before', commit: commitOf('HEAD~1') };
}

function changesSince(commit) {
  return DOCUMENTED_SERVICES.flatMap((service) => {
    const path = documentPath(service);
    const before = git('show', `${commit}:${path}`);
    if (before === undefined) return [];
    return breakingChanges(JSON.parse(before), readJson(path)).map((change) => ({ service, change }));
  });
}

function acceptedChanges() {
  const entries = readJson(ACCEPTED);
  if (!entries.every(({ service, change, reason }) => service && change && reason))
    throw new Error(`${ACCEPTED}: each entry has service, change and reason`);
  return entries;
}

function main([revision]) {
  const { name, commit } = revision ? { name: revision, commit: commitOf(revision) } : baseline();
  if (!commit) {
    if (revision) console.error(`git knows no revision ${revision}`);
    else console.log('Nothing to compare with: this is the first commit.');
    return revision ? 2 : 0;
  }
  const isSame = (one) => (other) => one.service === other.service && one.change === other.change;
  const changes = changesSince(commit);
  const accepted = acceptedChanges().filter((entry) => changes.some(isSame(entry)));
  const refused = changes.filter((change) => !accepted.some(isSame(change)));
  for (const { service, change, reason } of accepted)
    console.log(`accepted  ${service}  ${change}\n          ${reason}`);
  for (const { service, change } of refused) console.error(`BREAKING  ${service}  ${change}`);
  const counts = `${refused.length} breaking changes, ${accepted.length} accepted ones`;
  console.log(`Since ${name} (${commit.slice(0, 9)}): ${counts}.`);
  if (refused.length === 0) return 0;
  console.error(
    `Keep what clients rely on (docs/integrators/versioning.md), or add service, change and reason to ${ACCEPTED}.`,
  );
  return 1;
}

process.exitCode = main(process.argv.slice(2));
