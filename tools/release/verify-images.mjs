// node tools/release/verify-images.mjs IMAGES KEY: verifies that each image of the file IMAGES is signed with the key of the public
// file KEY, and has a signed bill of materials of that service and version.
import { readFileSync } from 'node:fs';
import { signingProgram } from '../stores/machine-programs.mjs';
import { isProgram } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { loggedIn, runStep } from './release.mjs';

/**
 * Verifies the images of FILE with KEY (a file). Returns them, each with its bill of materials.
 * @throws Error with cosign's message about the first invalid one
 */
export async function verifiedImages(file, key) {
  const { images } = JSON.parse(readFileSync(file, 'utf8'));
  const cosign = await signingProgram(console.log);
  const byKey = ['--key', key, '--private-infrastructure'];
  const verified = [];
  for (const { name, newName, newTag, digest } of images) {
    const image = `${newName}@${digest}`;
    const verify = (...args) => runProgram(`${image} is not verified`, cosign, [...args, ...byKey, image]);
    await loggedIn(newName, async () => {
      await verify('verify');
      const attested = (await verify('verify-attestation', '--type', 'cyclonedx')).trim().split('\n');
      const { predicate: bill } = JSON.parse(Buffer.from(JSON.parse(attested.at(-1)).payload, 'base64'));
      const { name: service, version } = bill.metadata.component;
      // another service or an earlier release is signed too
      if (service !== name || version !== newTag)
        throw new Error(`${image} is not ${name} ${newTag}, but ${service} ${version}.`);
      verified.push({ name, newName, newTag, digest, bill });
    });
  }
  return verified;
}

if (isProgram(import.meta.url))
  await runStep(async (file, key) => {
    for (const { newName, digest, bill } of await verifiedImages(file, key))
      console.log(`verified ${newName}@${digest}, ${bill.components.length} components`);
  });
