// node tools/release/use-images.mjs OVERLAY IMAGES KEY: has OVERLAY (deploy/overlays/production) run the images of the file IMAGES, by
// digest, once they are verified with the file KEY. With the file of an earlier release it is the way back.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { runStep } from './release.mjs';
import { verifiedImages } from './verify-images.mjs';

await runStep(async (overlay, file, key) => {
  const images = await verifiedImages(file, key);
  const path = join(overlay, 'release/kustomization.yaml');
  const document = parseDocument(readFileSync(path, 'utf8'));
  for (const entry of document.get('images').items) {
    const image = images.find(({ name }) => name === entry.get('name'));
    if (image) for (const field of ['newName', 'newTag', 'digest']) entry.set(field, image[field]);
  }
  writeFileSync(path, document.toString());
});
