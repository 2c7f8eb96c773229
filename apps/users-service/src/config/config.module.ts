import { type DynamicModule, Module } from '@nestjs/common';
import { SLICES, type Slices } from './slices.js';

@Module({})
export class ConfigModule {
  static forRoot(config: Slices): DynamicModule {
    const slices = Object.entries(SLICES).map(([name, provide]) => ({
      provide,
      useValue: config[name as keyof Slices],
    }));
    return { module: ConfigModule, global: true, providers: slices, exports: slices };
  }
}
