import { Global, Injectable, Module } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The application's own OpenAPI document, for features that tell clients what a call takes. */
@Injectable()
export class ApiDocument {
  private build: (() => OpenAPIObject) | undefined;

  /** Called once, by whoever serves the document. */
  provide(build: () => OpenAPIObject): void {
    this.build = build;
  }

  /** @throws Error before the application is configured */
  get(): OpenAPIObject {
    if (!this.build) throw new Error('the application is not configured yet');
    return this.build();
  }
}

@Global()
@Module({ providers: [ApiDocument], exports: [ApiDocument] })
export class ApiDocumentModule {}
