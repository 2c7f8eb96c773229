// npm run api:breaking [-- REVISION]: which changes of docs/openapi since REVISION break clients. Without REVISION it is
// the latest release (a tag v...), or else where this branch left main; on main itself, the commit before.
// Exit code 0: none, or all are in docs/openapi/accepted-changes.json; 1: others; 2: called wrongly.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, judge } from './openapi-changes.mjs';
import { DOCUMENTED_SERVICES, documentPath } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

const ACCEPTED = 'docs/openapi/accepted-changes.json';

/** What git says, or undefined when it says no. */
function git(...args) {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e8,
    });
  } catch {
    return undefined;
  }
}

const commitOf = (name) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim();

/** What to compare with: {name, commit}, or undefined in the first commit. */
function baseline() {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*')?.trim();
  if (tag) return { name: tag, commit: commitOf(tag) };
  const head = commitOf('HEAD');
  const branch = ['origin/main', 'main'].find((name) => commitOf(name));
  const forked = branch && git('merge-base', 'HEAD', branch)?.trim();
  if (forked && forked !== head) return { name: `where this left ${branch}`, commit: forked };
  const parent = commitOf('HEAD~1');
  return parent && { name: 'the commit before', commit: parent };
}

function changesSince(commit) {
  return DOCUMENTED_SERVICES.flatMap((service) => {
    const path = documentPath(service);
    const before = git('show', `${commit}:${path}`);
    if (before === undefined) return [];
    const after = JSON.parse(readFileSync(join(root, path), 'utf8'));
    return breakingChanges(JSON.parse(before), after).map((change) => ({ service, change }));
  });
}

function acceptedChanges() {
  const entries = JSON.parse(readFileSync(join(root, ACCEPTED), 'utf8'));
  const bare = entries.filter(({ service, change, reason }) => !service || !change || !reason);
  if (bare.length > 0) throw new Error(`${ACCEPTED}: each entry has service, change and reason`);
  return entries;
}

function main([revision]) {
  if (revision !== undefined && !commitOf(revision)) {
    console.error(`git knows no revision ${revision}`);
    return 2;
  }
  const base = revision ? { name: revision, commit: commitOf(revision) } : baseline();
  if (!base) {
    console.log('Nothing to compare with: this is the first commit.');
    return 0;
  }
  const { refused, accepted } = judge(changesSince(base.commit), acceptedChanges());
  for (const { service, change, reason } of accepted)
    console.log(`accepted  ${service}  ${change}\n          ${reason}`);
  for (const { service, change } of refused) console.error(`BREAKING  ${service}  ${change}`);
  console.log(
    `Since ${base.name} (${base.commit.slice(0, 9)}): ${refused.length} breaking changes, ${accepted.length} accepted ones.`,
  );
  if (refused.length === 0) return 0;
  console.error(
    `Keep what clients rely on (docs/integrators/versioning.md), or add service, change and reason to ${ACCEPTED}.`,
  );
  return 1;
}

process.exitCode = main(process.argv.slice(2));
