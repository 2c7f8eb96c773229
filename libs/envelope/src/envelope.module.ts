import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { CatalogueValidationPipe } from './catalogue-validation.pipe.js';
import { type EnvelopeOptions, ErrorFilter, EXPLAIN_DEFECT, type ExplainDefect } from './error.filter.js';

/**
 * The envelope of every answer of a service, together with the EnvelopeAdapter. An application adds its guards, and the
 * UnknownRouteModule last.
 */
@Module({})
export class EnvelopeModule {
  static forRoot(options: EnvelopeOptions): DynamicModule {
    const filter = (explain?: ExplainDefect): ErrorFilter => new ErrorFilter(options, explain);
    return {
      module: EnvelopeModule,
      global: true,
      providers: [
        { provide: ErrorFilter, inject: [{ token: EXPLAIN_DEFECT, optional: true }], useFactory: filter },
        { provide: APP_FILTER, useExisting: ErrorFilter },
        { provide: APP_PIPE, useClass: CatalogueValidationPipe },
      ],
      exports: [ErrorFilter],
    };
  }
}
