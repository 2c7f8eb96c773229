import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

interface ApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>
  >;
}

/** Credentials in the table by security scheme. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  bearer: 'Bearer',
  apikey: 'apikey',
  backendKey: 'backend key',
};

/**
 * Compares the calls of a service's document and their credentials with the table of calls in its README, which is kept by hand:
 * no call appears, disappears or becomes public unnoticed. Paths without a method, such as `/docs`, are not in the document.
 * @returns what to edit, a line for each call; empty if both are the same
 */
export function editsOfCallTable(app: 'users-service' | 'master-service', document: object): string[] {
  const { paths } = document as ApiDocument;
  const page = `apps/${app}/README.md`;
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security: [scheme = {}] = [] }]) =>
      line(`${method.toUpperCase()} ${path}`, CREDENTIALS[Object.keys(scheme)[0]!]),
    ),
  );
  const listed = readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .flatMap(([, calls = '', credentials]) =>
      [...calls.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, call]) => line(call!, credentials)),
    );
  return [
    ...served.filter((call) => !listed.includes(call)).map((call) => `add to the calls in ${page}: ${call}`),
    ...listed
      .filter((call) => !served.includes(call))
      .map((call) => `remove from the calls in ${page}: ${call}`),
  ];
}

/** The document does not name credentials outside of its schemes, such as a vendor's signature: they count as none. */
function line(call: string, credentials: string | undefined): string {
  const isOfScheme = Object.values(CREDENTIALS).includes(credentials!);
  return `${call} (credentials: ${isOfScheme ? credentials : 'none'})`;
}
