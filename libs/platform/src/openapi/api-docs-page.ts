import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express } from 'express';
import { ServedBytes } from './served-bytes.js';

const FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Files of Swagger UI that the page loads, with their types. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** Without a validator's badge, which would tell another site of the document. */
const INIT = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** The page runs our files alone, and calls this service alone. Swagger UI draws with data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Everything of the page, by its path. */
type ServedPage = ReadonlyMap<string, ServedBytes>;

const PAGE = '/docs';

async function readPage(title: string): Promise<ServedPage> {
  const files = new Map<string, ServedBytes>();
  /** Adds a file under a path that its bytes decide; returns the path. */
  const add = (name: string, bytes: Buffer, type: string): string => {
    const served = new ServedBytes(bytes, type, 'immutable');
    const path = `${PAGE}/${name.replace('.', `.${served.digest.slice(0, 16)}.`)}`;
    files.set(path, served);
    return path;
  };
  const read = async (name: keyof typeof FILES) => add(name, await readFile(join(FOLDER, name)), FILES[name]);
  const [css, bundle, icon] = await Promise.all([
    read('swagger-ui.css'),
    read('swagger-ui-bundle.js'),
    read('favicon-32x32.png'),
  ]);
  const init = add('swagger-ui-init.js', Buffer.from(INIT), FILES['swagger-ui-bundle.js']);
  const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</title>
    <link rel="icon" type="image/png" href="${icon}">
    <link rel="stylesheet" href="${css}">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${bundle}"></script>
    <script src="${init}"></script>
  </body>
</html>
`;
  const headers = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };
  return files.set(PAGE, new ServedBytes(Buffer.from(html), 'text/html; charset=utf-8', 'no-cache', headers));
}

/**
 * Serves a page to read and try the API at `/docs`. Its files are read at the first request, once; each has its digest in its
 * path, so that browsers keep it until a release has another.
 */
export function serveApiDocs(express: Express, title: string): void {
  let reading: Promise<ServedPage> | undefined;
  express.get([PAGE, `${PAGE}/:file`], async (request, response, next) => {
    reading ??= readPage(title).catch((error: unknown) => {
      // such as no file descriptor left: the next request tries again
      reading = undefined;
      throw error;
    });
    const { file } = request.params as { file?: string };
    const served = (await reading).get(file === undefined ? PAGE : `${PAGE}/${file}`);
    if (served) served.send(response);
    else next();
  });
}
