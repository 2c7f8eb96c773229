// node tools/release/publish-images.mjs TAG FOLDER KEY: publishes the images that build.mjs has made in FOLDER to REGISTRY, each signed and with its
// bill of materials as a signed attestation, and writes their digests to FOLDER/images.json. The file KEY is the public key of
// COSIGN_PRIVATE_KEY.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { imageStore } from '../deployment/images.mjs';
import { signingProgram } from '../stores/machine-programs.mjs';
import { runProgram } from '../processes/processes.mjs';
import { given, services } from '../workspace.mjs';
import { archiveOf, loggedIn, runStep, setting, versionOf } from './release.mjs';

const KEY = ['--key', 'env://COSIGN_PRIVATE_KEY'];

/** Without a public transparency log. */
const BY_KEY = [...KEY, '--tlog-upload=false', '--yes'];

/** Publishes one image as NAME:VERSION; returns its digest. */
async function push(store, service, version, name) {
  const file = join(store.folder, 'digest');
  const options = ['--quiet', '--compression-format', 'gzip', '--digestfile', file];
  const image = await store.tool('pull', '--quiet', `oci-archive:${archiveOf(store.folder, service)}`);
  await store.tool('push', ...options, image, `docker://${name}:${version}`);
  return readFileSync(file, 'utf8').trim();
}

await runStep(async (tag, folder, publicKey) => {
  const version = versionOf(tag);
  const registry = setting('REGISTRY');
  for (const name of ['COSIGN_PRIVATE_KEY', 'COSIGN_PASSWORD']) setting(name);
  const cosign = await signingProgram(console.log);
  const signWith = (...args) => runProgram('cosign failed', cosign, args);
  if ((await signWith('public-key', ...KEY)).trim() !== readFileSync(publicKey, 'utf8').trim())
    throw new Error(`COSIGN_PRIVATE_KEY is not the key of ${publicKey}: nothing was published.`);
  const store = await imageStore(resolve(folder), console.log);
  const images = [];
  await loggedIn(registry, async () => {
    for (const service of services) {
      const newName = `${registry}/${service}`;
      const digest = await push(store, service, version, newName);
      const image = `${newName}@${digest}`;
      const bill = join(folder, `${service}.cdx.json`);
      await signWith('sign', ...BY_KEY, image);
      await signWith('attest', ...BY_KEY, '--replace', '--type', 'cyclonedx', '--predicate', bill, image);
      images.push({ name: service, newName, newTag: version, digest });
      console.log(`published ${image}`);
    }
  });
  await store.remove();
  const text = `${JSON.stringify({ images }, null, 2)}\n`;
  writeFileSync(join(folder, 'images.json'), text);
  const summary = given('GITHUB_STEP_SUMMARY');
  if (summary) appendFileSync(summary, `images.json of ${version}:\n\n\`\`\`json\n${text}\`\`\`\n`);
});
