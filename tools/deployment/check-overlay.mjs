// Checks an overlay of your own before it is rolled out: renders each of its steps, validates each object by the schema of its kind, and
// lists the example addresses that are left. Exit code 1: there are problems.
//   node tools/deployment/check-overlay.mjs deploy/overlays/production
import { basename, join, resolve } from 'node:path';
import { problemsOf } from './manifest-schemas.mjs';
import { kustomized, STEPS } from './manifests.mjs';

/** Addresses in the values of an object that end in the domain reserved for examples (RFC 2606). */
function exampleAddressesIn(object) {
  const found = JSON.stringify(object).match(/[\w.-]+\.example\b/g) ?? [];
  return [...new Set(found)].map((address) => `still names ${address}`);
}

async function problemsOfStep(overlay, step) {
  const namespace = `fd-${basename(overlay)}`;
  const problems = [];
  for (const object of await kustomized(join(overlay, step))) {
    const { kind, metadata } = object;
    const own = [...(await problemsOf(object)), ...exampleAddressesIn(object)];
    const actual = kind === 'Namespace' ? metadata.name : metadata.namespace;
    if (actual !== namespace) own.push(`is in the namespace ${actual}, but roll-out.sh uses ${namespace}`);
    problems.push(...own.map((problem) => `${step} ${kind}/${metadata.name}: ${problem}`));
  }
  return problems;
}

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node tools/deployment/check-overlay.mjs deploy/overlays/NAME');
  process.exit(2);
}
const overlay = resolve(folder);
const problems = [];
for (const step of STEPS) problems.push(...(await problemsOfStep(overlay, step)));
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${basename(overlay)}: every object is valid`);
