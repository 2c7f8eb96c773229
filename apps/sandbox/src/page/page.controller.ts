import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Inject, NotFoundException, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { PageLinks } from '../config/sandbox-config.js';
import { MAGIC_VALUES } from '../magic/magic-values.table.js';
import { fillPage } from './page.js';

/** Injection token of the base URLs that the page shows. */
export const PAGE_LINKS = Symbol('page links');

const PUBLIC_FOLDER = join(import.meta.dirname, '../../public');

const ASSETS = {
  'page.css': 'text/css; charset=utf-8',
  'hosted-page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'waiting.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/**
 * The page shows what strangers wrote. Should its script ever take that for HTML, the browser refuses: nothing
 * from elsewhere, nothing inline, and no writing of HTML at all (trusted types).
 */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

const read = (name: string): string => readFileSync(join(PUBLIC_FOLDER, name), 'utf8');

@ApiExcludeController()
@Controller()
export class PageController {
  private readonly page: string;
  private readonly assets = new Map(
    Object.entries(ASSETS).map(([name, type]) => [name, { type, content: read(name) }] as const),
  );

  constructor(@Inject(PAGE_LINKS) links: PageLinks) {
    this.page = fillPage(read('index.html'), links, MAGIC_VALUES);
  }

  @Get()
  index(@Res() response: Response): void {
    response.set(PAGE_HEADERS).type('html').send(this.page);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() response: Response): void {
    const asset = this.assets.get(name);
    if (!asset) throw new NotFoundException();
    response.set(PAGE_HEADERS).type(asset.type).send(asset.content);
  }
}
