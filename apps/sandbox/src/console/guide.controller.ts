import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { Controller, Get, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';
import { HttpsServer } from '../hosted-pages/https-server.service.js';

/** A path below /guide: plain names, nothing hidden. The index of the search is `@localSearchIndexroot.HASH.js`. */
const PATH = /^(?:\/[\w@][\w.@-]*)*\/?$/;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** Files whose text may name an address of the product. */
const WITH_ADDRESSES = ['.html', '.js'];

/** The addresses in the pages: those of `npm start` with its usual ports. */
const USUAL_ADDRESS = /https?:\/\/localhost:(3001|3002|3003|3443)\b/g;

/** A header Host without signs that have a meaning in HTML or scripts. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

const NOT_BUILT = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="refresh" content="5">
    <title>The guide is not built yet</title>
    <link rel="icon" href="data:,">
  </head>
  <body style="max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font-family: system-ui, sans-serif">
    <main>
      <h1>The guide is not built yet</h1>
      <p><code>npm start</code> builds it in the background, which takes about a minute; <code>npm run guide</code> builds it at once.</p>
      <p>This page loads again every five seconds until the guide is there.</p>
    </main>
  </body>
</html>
`;

/** Scripts of the site and those that its build wrote into the page; code and diagrams have inline styles. */
const policyOf = (html: string): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts(html)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

function inlineScripts(html: string): string[] {
  const hashes: string[] = [];
  let tag = html.indexOf('<script');
  while (tag >= 0) {
    const begin = html.indexOf('>', tag) + 1;
    const end = html.indexOf('</script>', begin);
    if (begin === 0 || end < 0) break;
    if (!/\ssrc=/.test(html.slice(tag, begin))) {
      const hash = createHash('sha256').update(html.slice(begin, end)).digest('base64');
      hashes.push(`'sha256-${hash}'`);
    }
    tag = html.indexOf('<script', end);
  }
  return hashes;
}

/** The documentation site. Each request reads the file: a new build needs no restart. */
@ApiExcludeController()
@Controller('guide')
export class GuideController {
  constructor(
    @Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig,
    private readonly hostedPages: HttpsServer,
  ) {}

  @Get(['', '*path'])
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const path = request.path.replace(/^\/guide/i, '');
    if (!PATH.test(path)) throw new NotFoundException();
    // links between pages are relative to a folder
    if (path === '') return response.redirect(308, '/guide/');
    const name = path.endsWith('/') ? `${path}index.html` : extname(path) in TYPES ? path : `${path}.html`;
    const { guideFolder: folder } = this.config;
    const content = await contentOf(folder, name);
    if (content) return this.send(request, response, name, content);
    if (!(await contentOf(folder, '/index.html')))
      return this.send(request, response.status(503), '/503.html', Buffer.from(NOT_BUILT));
    const missing = await contentOf(folder, '/404.html');
    if (!missing || extname(name) !== '.html') throw new NotFoundException();
    this.send(request, response.status(404), '/404.html', missing);
  }

  private send(request: Request, response: Response, name: string, content: Buffer): void {
    const ending = extname(name);
    const text = WITH_ADDRESSES.includes(ending) ? content.toString() : '';
    const namesAddresses = text.search(USUAL_ADDRESS) >= 0;
    const sent = namesAddresses ? this.withAddressesFor(request, text) : content;
    // names of assets change with their content, but not with the addresses
    const isImmutable = name.startsWith('/assets/') && !namesAddresses;
    response.set({
      'content-type': TYPES[ending]!,
      'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'referrer-policy': 'no-referrer',
      ...(ending === '.html' ? { 'content-security-policy': policyOf(sent.toString()) } : {}),
    });
    response.send(sent);
  }

  /** Replaces the usual addresses by those of this product, so that the reader's copies of commands work. */
  private withAddressesFor(request: Request, text: string): string {
    const { users, master } = this.config.console;
    const host = request.get('host') ?? '';
    const addresses: Readonly<Record<string, string>> = {
      3001: users,
      3002: master,
      3443: this.hostedPages.urlOf(''),
      ...(PLAIN_HOST.test(host) ? { 3003: `${request.protocol}://${host}` } : {}),
    };
    return text.replace(USUAL_ADDRESS, (usual, port: string) => addresses[port] ?? usual);
  }
}

/** Returns undefined for a missing file. */
async function contentOf(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, normalize(name)));
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
