import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ContractValidationPipe } from './contract-validation.pipe.js';
import { type EnvelopeOptions, ErrorFilter } from './error.filter.js';

/**
 * The envelope of every answer of a service, together with the EnvelopeAdapter. An application adds the RequestGuard with its
 * checks, and the UnknownRouteModule last.
 */
@Module({})
export class EnvelopeModule {
  static forRoot(options: EnvelopeOptions): DynamicModule {
    return {
      module: EnvelopeModule,
      global: true,
      providers: [
        { provide: ErrorFilter, useValue: new ErrorFilter(options) },
        { provide: APP_FILTER, useExisting: ErrorFilter },
        { provide: APP_PIPE, useClass: ContractValidationPipe },
      ],
      exports: [ErrorFilter],
    };
  }
}
