import { type DynamicModule, Module } from '@nestjs/common';
import type { ConsoleConfig } from '../config/sandbox-config.js';
import { CONSOLE, ConsoleController } from './console.controller.js';

@Module({})
export class ConsoleModule {
  static forRoot(config: ConsoleConfig): DynamicModule {
    return {
      module: ConsoleModule,
      controllers: [ConsoleController],
      providers: [{ provide: CONSOLE, useValue: config }],
    };
  }
}
