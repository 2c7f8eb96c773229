// Everything that is made from the OpenAPI documents, as the texts of files.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { errorCodesOf, typesOf } from './client-types.mjs';
import { errorList, errorPage } from './error-page.mjs';
import { documentPath } from './openapi-documents.mjs';
import { root } from '../workspace.mjs';

const GENERATED = 'libs/client/src/generated';
const INTEGRATORS = 'docs/integrators';

/** A module of this workspace as it was compiled. */
const compiled = (path) => import(pathToFileURL(join(root, path)).href);

/** The texts by path, from the documents by service. The services and the sandbox have been built. */
export async function apiFiles(documents) {
  const errors = await compiled('libs/errors/dist/index.js');
  const { MAGIC_VALUES: magicValues } = await compiled('apps/sandbox/dist/magic/magic-values.table.js');
  const texts = {
    [`${GENERATED}/error-codes.ts`]: errorCodesOf(documents),
    [`${INTEGRATORS}/errors.json`]: JSON.stringify(errorList({ errors, documents })),
    [`${INTEGRATORS}/errors.md`]: errorPage({ errors, documents, magicValues }),
  };
  for (const [service, document] of Object.entries(documents)) {
    texts[documentPath(service)] = JSON.stringify(document);
    texts[`${GENERATED}/${service}.ts`] = await typesOf(document);
  }
  const formatted = await Promise.all(
    Object.entries(texts).map(async ([path, text]) => {
      const filepath = join(root, path);
      return [path, await format(text, { ...(await resolveConfig(filepath)), filepath })];
    }),
  );
  return Object.fromEntries(formatted);
}
