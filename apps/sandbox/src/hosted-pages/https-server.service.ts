import { createServer } from 'node:https';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import type { HostedPagesConfig } from '../config/sandbox-config.js';
import { BoundServer } from '../listening/bound-server.js';
import { selfSigned } from './certificate.js';

/** Injection token of where the hosted pages are served. */
export const HOSTED_PAGES = Symbol('where hosted pages are served');

/** The same application over https, which is how people reach pages that other companies host. */
@Injectable()
export class HttpsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: BoundServer | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(HOSTED_PAGES) private readonly config: HostedPagesConfig,
  ) {}

  /** @throws Error before it listens */
  get port(): number {
    if (!this.server) throw new Error('The https server does not listen yet');
    return this.server.port;
  }

  /** Where people reach a page, as `/ekyc/...`. */
  urlOf(path: string): string {
    return `${this.config.publicUrl ?? `https://localhost:${this.port}`}${path}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const hostname = new URL(this.config.publicUrl ?? 'https://localhost').hostname;
    const app = this.host.httpAdapter.getInstance<Express>();
    this.server = new BoundServer(createServer(await selfSigned(hostname), app));
    await this.server.listen(this.config.port, this.config.host);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
