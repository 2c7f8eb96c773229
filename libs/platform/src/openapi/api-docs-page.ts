import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express } from 'express';

/** Scalar in one file, which loads nothing else. */
const BUNDLE = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/api-reference')),
  'browser/standalone.js',
);

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

/** The page runs only our files and calls only this service. Scalar adds style elements and attributes. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageOf = (title: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</title>
    <link rel="icon" href="data:,">
    <style>${COLOURS}    </style>
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/init.js"></script>
  </body>
</html>
`;

export function serveApiDocs(express: Express, title: string): void {
  serveUnchanged(express, '/docs/reference.js', 'js', () => readFileSync(BUNDLE));
  serveUnchanged(express, '/docs/init.js', 'js', () => INIT);
  const page = pageOf(title);
  express.get('/docs', (_request, response) => {
    response.set({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' }).send(page);
  });
}

/**
 * Serves what stays the same until the next release, made at its first request. Clients revalidate it by its digest: Express answers
 * 304 to those that have it.
 */
export function serveUnchanged(
  express: Express,
  path: string,
  type: string,
  make: () => string | Buffer,
): void {
  let served: { readonly bytes: Buffer; readonly etag: string } | undefined;
  express.get(path, (_request, response) => {
    if (!served) {
      const bytes = Buffer.from(make());
      served = { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
    }
    response.type(type).set({ 'cache-control': 'no-cache', etag: served.etag }).send(served.bytes);
  });
}
