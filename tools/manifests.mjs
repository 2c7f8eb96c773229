// What deploy/ amounts to: the objects of an environment, as a cluster would get them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { kubectl } from './kubectl.mjs';
import { root } from './workspace.mjs';

const run = promisify(execFile);

export const ENVIRONMENTS = ['development', 'staging', 'production'];

/** In the order in which they are applied. */
export const STEPS = ['foundation', 'migrations', 'services'];

/** YAML of one STEP of ENVIRONMENT. */
export async function renderedText(environment, step) {
  const folder = join(root, 'deploy/overlays', environment, step);
  const { stdout, stderr } = await run(await kubectl(), ['kustomize', folder], { maxBuffer: 32_000_000 });
  if (stderr) throw new Error(`deploy/overlays/${environment}/${step}: ${stderr}`);
  return stdout;
}

/** Objects of one STEP of ENVIRONMENT. */
export async function rendered(environment, step) {
  return parseAllDocuments(await renderedText(environment, step)).map((document) => document.toJS());
}

export const ofKind = (objects, kind) => objects.filter((object) => object.kind === kind);

/** The object of KIND and NAME; a name that a hash was appended to counts as well. */
export function find(objects, kind, name) {
  const found = ofKind(objects, kind).find(({ metadata }) =>
    new RegExp(`^${name}(-[a-z0-9]{10})?$`).test(metadata.name),
  );
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Templates of the pods that OBJECTS lead to, each with the object that it is part of. */
export const podTemplates = (objects) =>
  objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .map((owner) => ({ owner, template: owner.spec.template }));

/**
 * Settings of SERVICE in OBJECTS: those that its ConfigMap gives, and the names of those that come from its Secret,
 * optional ones apart.
 */
export function settingsOf(objects, service) {
  const [container] = find(objects, 'Deployment', service).spec.template.spec.containers;
  const namesOf = (isOptional) =>
    container.env
      .filter(({ valueFrom }) => (valueFrom.secretKeyRef.optional ?? false) === isOptional)
      .map(({ name }) => name);
  return {
    given: find(objects, 'ConfigMap', service).data,
    secret: namesOf(false),
    optionalSecret: namesOf(true),
  };
}
