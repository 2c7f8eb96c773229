import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express } from 'express';
import { ServedBytes } from './served-bytes.js';

/** Scalar in one file, which loads nothing else. */
const BUNDLE = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference')),
  'browser/standalone.js',
);
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Nothing from other origins: no fonts, no assistant, no client on another site. */
const INIT = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
// Scalar gives its copy buttons no name
const nameCopyButtons = () => {
  for (const button of document.querySelectorAll('button.group\\\\/copy-button:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy');
};
new MutationObserver(nameCopyButtons).observe(document.body, { childList: true, subtree: true });
`;

/** Scalar gives the nonce to some of its styles only; without the others the page has wrong colours and places. */
const STYLE_NONCE = `const { content: nonce } = document.querySelector('meta[property=csp-nonce]');
const create = document.createElement;
document.createElement = function (name, options) {
  const element = create.call(this, name, options);
  if (name === 'style') element.nonce = nonce;
  return element;
};
`;

/** Colours with the contrast that WCAG AA asks for; Scalar's own have less. */
const COLOURS = `
      body.light-mode {
        --scalar-color-2: #5c5c5c;
        --scalar-color-3: #666;
        --scalar-color-green: #00704a;
        --scalar-color-blue: #00639e;
        --scalar-color-orange: #b23c00;
      }
      body.dark-mode {
        --scalar-color-3: #949494;
      }
`;

/** The page runs only our files and calls only this service. Scalar adds its styles with the page's nonce. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Scalar places its parts by style attributes, for which there is no nonce; they cannot load anything
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

interface Reference {
  /** By path. */
  readonly files: ReadonlyMap<string, ServedBytes>;
  readonly page: (nonce: string) => string;
}

const PAGE = '/docs';

async function readReference(title: string): Promise<Reference> {
  const files = new Map<string, ServedBytes>();
  /** Adds a script under a path with its digest; returns the path. */
  const add = (name: string, bytes: Buffer): string => {
    const served = new ServedBytes(bytes, SCRIPT_TYPE, 'immutable');
    const path = `${PAGE}/${name}.${served.digest.slice(0, 16)}.js`;
    files.set(path, served);
    return path;
  };
  const bundle = add('reference', await readFile(BUNDLE));
  const styles = add('styles', Buffer.from(STYLE_NONCE));
  const init = add('init', Buffer.from(INIT));
  const page = (nonce: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" content="${nonce}">
    <title>${title.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</title>
    <link rel="icon" href="data:,">
    <style nonce="${nonce}">${COLOURS}    </style>
  </head>
  <body>
    <div id="reference"></div>
    <script src="${styles}"></script>
    <script src="${bundle}"></script>
    <script src="${init}"></script>
  </body>
</html>
`;
  return { files, page };
}

/**
 * Serves an API reference at `/docs`. Reads its files once, at the first request; their paths contain digests, so that
 * browsers can cache them. Each page has a new nonce.
 */
export function serveApiDocs(express: Express, title: string): void {
  let reading: Promise<Reference> | undefined;
  express.get([PAGE, `${PAGE}/:file`], async (request, response, next) => {
    reading ??= readReference(title).catch((error: unknown) => {
      // such as no file descriptor left: the next request tries again
      reading = undefined;
      throw error;
    });
    const { files, page } = await reading;
    const { file } = request.params as { file?: string };
    if (file !== undefined) {
      const served = files.get(`${PAGE}/${file}`);
      if (served) served.send(response);
      else next();
      return;
    }
    const nonce = randomBytes(16).toString('base64url');
    response
      .set({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policyOf(nonce),
        'referrer-policy': 'no-referrer',
      })
      .send(page(nonce));
  });
}
