// Renders deploy/: the objects of an environment, as a cluster gets them.
import { execFile } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { inTemporaryFolder } from '../files.mjs';
import { kubectl } from './kubectl.mjs';
import { root } from '../workspace.mjs';

const run = promisify(execFile);

export const ENVIRONMENTS = ['development', 'staging', 'production'];

/** In the order of a roll-out; the last one is for operators' commands. */
export const STEPS = ['foundation', 'migrations', 'services', 'operator'];

const folderOf = (environment, step) => join(root, 'deploy/overlays', environment, step);

/** Renders the objects of FOLDER. */
export async function kustomized(folder) {
  const { stdout, stderr } = await run(await kubectl(), ['kustomize', folder], { maxBuffer: 32_000_000 });
  if (stderr) throw new Error(`${folder}: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

export const rendered = (environment, step) => kustomized(folderOf(environment, step));

/** Objects of a step of ENVIRONMENT with an additional component, or several, and PATCHES. */
export const renderedWith = (environment, component, step = 'services', patches = []) =>
  inTemporaryFolder('manifests', (folder) => {
    const pathTo = (target) => relative(realpathSync(folder), target);
    const components = [component].flat().map((name) => join(root, 'deploy/components', name));
    const kustomization = {
      resources: [pathTo(folderOf(environment, step))],
      components: [...components, folderOf(environment, 'release')].map(pathTo),
      patches,
    };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return kustomized(folder);
  });

export const ofKind = (objects, kind) => objects.filter((object) => object.kind === kind);

/** The object of KIND and NAME, with or without an appended hash. */
export function find(objects, kind, name) {
  const found = ofKind(objects, kind).find(({ metadata }) =>
    new RegExp(`^${name}(-[a-z0-9]{10})?$`).test(metadata.name),
  );
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Pod templates in OBJECTS, each with its object. */
export const podTemplates = (objects) =>
  objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'CronJob'].includes(kind))
    .map((owner) => ({ owner, template: (owner.spec.jobTemplate ?? owner).spec.template }));

/**
 * Settings of SERVICE in OBJECTS: values of its ConfigMap, and names of required and optional keys of its Secret.
 */
export function settingsOf(objects, service) {
  const [{ env }] = find(objects, 'Deployment', service).spec.template.spec.containers;
  const isOptional = ({ valueFrom }) => valueFrom.secretKeyRef.optional ?? false;
  return {
    given: find(objects, 'ConfigMap', service).data,
    secret: env.filter((setting) => !isOptional(setting)).map(({ name }) => name),
    optionalSecret: env.filter(isOptional).map(({ name }) => name),
  };
}
