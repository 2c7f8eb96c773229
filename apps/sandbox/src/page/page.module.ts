import { type DynamicModule, Module } from '@nestjs/common';
import type { PageLinks } from '../config/sandbox-config.js';
import { PAGE_LINKS, PageController } from './page.controller.js';

@Module({})
export class PageModule {
  static forRoot(links: PageLinks): DynamicModule {
    return {
      module: PageModule,
      controllers: [PageController],
      providers: [{ provide: PAGE_LINKS, useValue: links }],
    };
  }
}
