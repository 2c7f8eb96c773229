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
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import type { Response } from 'express';
import { type ConsoleConfig, SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';
import { ISSUER_SLUGS } from '../issuers/issuer-slugs.js';

/** The built console, and the files that it shares with the hosted pages. */
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
 * The console shows untrusted text. The browser refuses to treat that as HTML, even after a mistake in the console: no
 * foreign or inline scripts, and no writing of HTML (trusted types). The console calls the sandbox and the two services.
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

class ConsoleSettingsView {
  @ApiProperty({ type: String, format: 'uri', example: 'http://localhost:3001' })
  readonly users_base_url: string;

  @ApiProperty({ type: String, format: 'uri', example: 'http://localhost:3002' })
  readonly master_base_url: string;

  @ApiProperty({ type: String, description: 'For master-service.', example: 'sandbox-api-key' })
  readonly api_key: string;

  @ApiProperty({ type: String, format: 'uri', example: 'https://app.partner.example' })
  readonly partner_url: string;

  @ApiProperty({ type: [String], description: 'Slugs of the issuers whose APIs the sandbox simulates.' })
  readonly issuers: string[];
}

/** The developer console: one page and its assets. Each request reads the file: a new build needs no restart. */
@Controller()
export class ConsoleController {
  private readonly config: ConsoleConfig;
  private readonly headers: Record<string, string>;

  constructor(@Inject(SANDBOX_CONFIG) { console }: SandboxConfig) {
    this.config = console;
    this.headers = headersOf(console);
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
  @ApiOperation({ summary: 'Settings of the console: where the services are, and the credentials for them' })
  @ApiOkResponse({ type: ConsoleSettingsView })
  settings(): ConsoleSettingsView {
    const { users, master, apiKey, partnerUrl } = this.config;
    return {
      users_base_url: users,
      master_base_url: master,
      api_key: apiKey,
      partner_url: partnerUrl,
      issuers: [...ISSUER_SLUGS].sort(),
    };
  }
}

/** Returns undefined for a missing file. */
async function contentOf(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
