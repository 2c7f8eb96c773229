import { createServer } from 'node:https';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { SANDBOX_CONFIG, type SandboxConfig } from '../config/sandbox-config.js';
import { BoundServer } from '../http/bound-server.js';
import { selfSigned } from './certificate.js';

/** Serves the same application over https, for pages hosted by other companies. */
@Injectable()
export class HttpsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: BoundServer | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig,
  ) {}

  /** @throws Error before it listens */
  get port(): number {
    if (!this.server) throw new Error('The https server does not listen yet');
    return this.server.port;
  }

  /** Returns the address at which people reach a page such as `/ekyc/...`. */
  urlOf(path: string): string {
    return `${this.config.hostedPages.publicUrl ?? `https://localhost:${this.port}`}${path}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const hostname = new URL(this.config.hostedPages.publicUrl ?? 'https://localhost').hostname;
    const app = this.host.httpAdapter.getInstance<Express>();
    this.server = new BoundServer(createServer(await selfSigned(hostname), app));
    const { port, host } = this.config.hostedPages;
    await this.server.listen(port, host);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
