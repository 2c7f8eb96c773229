import { type DynamicModule, Module } from '@nestjs/common';
import type { UsersConfig } from './users-config.js';

/** Injection token of the whole settings; features take the slice they need. */
export const USERS_CONFIG = Symbol('users config');

@Module({})
export class ConfigModule {
  static forRoot(config: UsersConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: USERS_CONFIG, useValue: config }],
      exports: [USERS_CONFIG],
    };
  }
}
