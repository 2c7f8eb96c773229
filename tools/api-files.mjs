// Everything that is made from the OpenAPI documents, as the texts of files.
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { errorCodesOf, typesOf } from './client-types.mjs';
import { documentPath } from './openapi-documents.mjs';
import { root } from './workspace.mjs';

const GENERATED = 'libs/client/src/generated';

/** The texts by path, from the documents by service. */
export async function apiFiles(documents) {
  const texts = { [`${GENERATED}/error-codes.ts`]: errorCodesOf(documents) };
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
