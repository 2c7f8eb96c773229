import { type DynamicModule, Module } from '@nestjs/common';
import {
  CATALOGUE_SETTINGS,
  type CatalogueSettings,
  CatalogueSnapshot,
} from './catalogue-snapshot.service.js';
import { IssuersController } from './issuers.controller.js';

@Module({})
export class CatalogueModule {
  static forRoot(settings: CatalogueSettings): DynamicModule {
    return {
      module: CatalogueModule,
      global: true,
      controllers: [IssuersController],
      providers: [{ provide: CATALOGUE_SETTINGS, useValue: settings }, CatalogueSnapshot],
      exports: [CatalogueSnapshot],
    };
  }
}
