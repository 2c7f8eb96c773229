import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  Req,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';

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

const inlineScripts = (html: string): string[] =>
  Array.from(
    html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g),
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );

/** The documentation site. Each request reads the file: a new build needs no restart. */
@ApiExcludeController()
@Controller('guide')
export class GuideController {
  constructor(@Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig) {}

  @Get(['', '*path'])
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const path = request.path.replace(/^\/guide/i, '');
    if (!PATH.test(path)) throw new NotFoundException();
    // links between pages are relative to a folder
    if (path === '') return response.redirect(308, '/guide/');
    const name = path.endsWith('/') ? `${path}index.html` : extname(path) in TYPES ? path : `${path}.html`;
    const { guideFolder: folder } = this.config;
    const content = await contentOf(folder, name);
    if (content) return send(response, name, content);
    if (!(await contentOf(folder, '/index.html')))
      throw new ServiceUnavailableException(
        'The guide is not built yet: "npm start" builds it in the background, "npm run guide" at once.',
      );
    const missing = await contentOf(folder, '/404.html');
    if (!missing || extname(name) !== '.html') throw new NotFoundException();
    send(response.status(404), '/404.html', missing);
  }
}

function send(response: Response, name: string, content: Buffer): void {
  const ending = extname(name);
  response.set({
    'content-type': TYPES[ending]!,
    // names of assets change with their content
    'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'referrer-policy': 'no-referrer',
    ...(ending === '.html' ? { 'content-security-policy': policyOf(content.toString()) } : {}),
  });
  response.send(content);
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
