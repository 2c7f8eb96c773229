import { type DynamicModule, Module } from '@nestjs/common';
import type { HostedPagesConfig } from '../config/sandbox-config.js';
import { HOSTED_PAGES, HttpsServer } from './https-server.service.js';

@Module({})
export class HostedPagesModule {
  static forRoot(config: HostedPagesConfig): DynamicModule {
    return {
      module: HostedPagesModule,
      global: true,
      providers: [HttpsServer, { provide: HOSTED_PAGES, useValue: config }],
      exports: [HttpsServer],
    };
  }
}
