// Shared code of the steps of a release, which docs/release.md describes.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inTemporaryFolder } from '../files.mjs';
import { given } from '../workspace.mjs';

/** Runs a step with the arguments of the command line, all required. Prints the message of an error and exits with 1. */
export async function runStep(step) {
  try {
    const [, script, ...args] = process.argv;
    if (args.length < step.length)
      throw new Error(`${basename(script)} needs ${step.length} arguments: docs/release.md lists them.`);
    await step(...args);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** The version that TAG ("v1.2.3") names. */
export function versionOf(tag) {
  const [, version] = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag) ?? [];
  if (!version) throw new Error(`"${tag}" is not a release tag, such as v1.2.3.`);
  return version;
}

/** The file in FOLDER with the image of SERVICE. */
export const archiveOf = (folder, service) => join(folder, `${service}.tar`);

/** A required setting. */
export function setting(name) {
  const value = given(name);
  if (!value) throw new Error(`${name} is not set: docs/release.md says what it is.`);
  return value;
}

/**
 * Runs WORK while buildah and cosign are logged in to REGISTRY as REGISTRY_USER. Without that setting they use the machine's
 * logins.
 */
export async function loggedIn(registry, work) {
  const user = given('REGISTRY_USER');
  if (!user) return work();
  const auth = Buffer.from(`${user}:${setting('REGISTRY_PASSWORD')}`).toString('base64');
  return inTemporaryFolder('login', (folder) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ auths: { [registry.split('/')[0]]: { auth } } }), { mode: 0o600 });
    Object.assign(process.env, { REGISTRY_AUTH_FILE: file, DOCKER_CONFIG: folder });
    return work();
  });
}
