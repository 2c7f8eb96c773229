import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  Param,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ConsoleConfig } from '../config/sandbox-config.js';
import { ConsoleSettingsView, presentSettings } from './console.presenter.js';

/** Injection token of what the console is told about its surroundings. */
export const CONSOLE = Symbol('settings of the console');

/** The built console, and the files that it has in common with the hosted pages. */
const BUILT = join(dirname(createRequire(import.meta.url).resolve('@fd/console/package.json')), 'dist');
const PUBLIC = join(import.meta.dirname, '../../public');

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A plain file name: no folder, nothing hidden. */
const ASSET_NAME = /^[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*\.(css|js|svg)$/;

/**
 * The console shows what strangers wrote. Should its script ever take that for HTML, the browser refuses: nothing
 * from elsewhere, nothing inline, and no writing of HTML at all (trusted types). It calls us and the two services.
 */
const headersOf = ({ users, master }: ConsoleConfig): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${new URL(users).origin} ${new URL(master).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
});

/** The developer console: one page and its assets. Files are read when they are asked for: a new build needs no restart. */
@Controller()
export class ConsoleController {
  private readonly headers: Record<string, string>;

  constructor(@Inject(CONSOLE) private readonly config: ConsoleConfig) {
    this.headers = headersOf(config);
  }

  @Get()
  @ApiExcludeEndpoint()
  async index(@Res() response: Response): Promise<void> {
    const page = await contentOf(BUILT, 'index.html');
    if (!page) throw new ServiceUnavailableException('The console is not built: run "npx nx build console".');
    response.set(this.headers).type('html').send(page);
  }

  @Get('assets/:name')
  @ApiExcludeEndpoint()
  async asset(@Param('name') name: string, @Res() response: Response): Promise<void> {
    const ending = ASSET_NAME.exec(name)?.[1];
    const content =
      ending && ((await contentOf(join(BUILT, 'assets'), name)) ?? (await contentOf(PUBLIC, name)));
    if (!ending || !content) throw new NotFoundException();
    response.set(this.headers).type(TYPES[ending]!).send(content);
  }

  @Get('api/console')
  @ApiOperation({
    summary: 'What the console is told: where the services are, and with what they are called',
  })
  @ApiOkResponse({ type: ConsoleSettingsView })
  settings(): ConsoleSettingsView {
    return presentSettings(this.config);
  }
}

/** Undefined when there is no such file. */
async function contentOf(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
