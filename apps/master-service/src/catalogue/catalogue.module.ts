import { type DynamicModule, Module } from '@nestjs/common';
import { CatalogueMetrics } from './catalogue.metrics.js';
import { CatalogueSnapshot, POLL_SECONDS } from './catalogue-snapshot.service.js';
import { IssuersController } from './issuers.controller.js';

/** The catalogue in memory, for everybody who answers from it. */
@Module({})
export class CatalogueModule {
  static forRoot(pollSeconds: number): DynamicModule {
    return {
      module: CatalogueModule,
      global: true,
      controllers: [IssuersController],
      providers: [{ provide: POLL_SECONDS, useValue: pollSeconds }, CatalogueMetrics, CatalogueSnapshot],
      exports: [CatalogueSnapshot],
    };
  }
}
