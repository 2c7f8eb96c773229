// node tools/release/verify-images.mjs IMAGES KEY: whether each image of the file IMAGES is the one that was released: signed with the key
// whose public half is in the file KEY, with a signed bill of materials of that service and version.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { signingProgram } from '../deployment/machine-programs.mjs';
import { runProgram } from '../processes/processes.mjs';
import { loggedIn, runStep } from './release.mjs';

/**
 * Returns the images of FILE, each with its bill of materials, once all are verified with KEY (a file).
 * @throws Error with cosign's words about the first that is not
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
      // another service, or an earlier release, is signed as well
      if (service !== name || version !== newTag)
        throw new Error(`${image} is not ${name} ${newTag}, but ${service} ${version}.`);
      verified.push({ name, newName, newTag, digest, bill });
    });
  }
  return verified;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await runStep(async (file, key) => {
    for (const { newName, digest, bill } of await verifiedImages(file, key))
      console.log(`verified ${newName}@${digest}, ${bill.components.length} components`);
  });
