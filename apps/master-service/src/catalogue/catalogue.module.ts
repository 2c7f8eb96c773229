import { type DynamicModule, Module } from '@nestjs/common';
import { CatalogueSnapshot, POLL_SECONDS } from './catalogue-snapshot.service.js';
import { IssuersController } from './issuers.controller.js';

@Module({})
export class CatalogueModule {
  static forRoot(pollSeconds: number): DynamicModule {
    return {
      module: CatalogueModule,
      global: true,
      controllers: [IssuersController],
      providers: [{ provide: POLL_SECONDS, useValue: pollSeconds }, CatalogueSnapshot],
      exports: [CatalogueSnapshot],
    };
  }
}
