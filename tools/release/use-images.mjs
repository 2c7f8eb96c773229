// node tools/release/use-images.mjs OVERLAY IMAGES KEY: verifies the images of the file IMAGES with the file KEY and writes their
// digests into OVERLAY (deploy/overlays/production). The IMAGES file of an earlier release rolls back.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { services } from '../workspace.mjs';
import { runStep } from './release.mjs';
import { verifiedImages } from './verify-images.mjs';

await runStep(async (overlay, file, key) => {
  const images = await verifiedImages(file, key);
  const path = join(overlay, 'release/kustomization.yaml');
  const document = parseDocument(readFileSync(path, 'utf8'));
  for (const entry of document.get('images').items) {
    const name = entry.get('name');
    const image = images.find((one) => one.name === name);
    if (!image && services.includes(name)) throw new Error(`${file} has no ${name}.`);
    if (image) for (const field of ['newName', 'newTag', 'digest']) entry.set(field, image[field]);
  }
  writeFileSync(path, document.toString());
});
