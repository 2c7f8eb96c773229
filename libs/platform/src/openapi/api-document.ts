import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express } from 'express';
import { serveApiDocs, serveUnchanged } from './api-docs-page.js';
import { withExamples } from './examples.js';
import { type ApiDescription, documentFailures } from './failure-responses.js';

/** The application's OpenAPI document, for features that describe calls to clients. */
@Injectable()
export class ApiDocument {
  private build: (() => OpenAPIObject) | undefined;
  /** Base URL of the guide, without trailing slash; undefined: none is configured. */
  guideUrl: string | undefined;

  /** Called once, at configuration. */
  provide(build: () => OpenAPIObject, guideUrl: string | undefined): void {
    this.build = build;
    this.guideUrl = guideUrl;
  }

  /** @throws Error before the application is configured */
  get(): OpenAPIObject {
    if (!this.build) throw new Error('the application is not configured yet');
    return this.build();
  }
}

/** The OpenAPI 3.1 document of an application, from what its routes and contracts declare. */
export function apiDocument(app: NestExpressApplication, api: ApiDescription): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(api.title)
    .setDescription([api.description, ...guideHint(api.guideUrl)].join('\n\n'))
    .setVersion(api.version)
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The service that serves this document');
  for (const [name, description] of Object.entries(api.tags)) builder.addTag(name, description);
  if (api.security === 'bearer') builder.addBearerAuth();
  for (const [name, description] of Object.entries(api.otherBearers ?? {}))
    builder.addBearerAuth({ type: 'http', scheme: 'bearer', description }, name);
  if (api.security === 'apikey')
    builder.addApiKey({ type: 'apiKey', in: 'header', name: 'apikey' }, 'apikey');
  if (api.guideUrl !== undefined)
    builder.setExternalDoc(
      'The guide: journeys, calls and error codes, with recorded exchanges',
      api.guideUrl,
    );
  const config = builder.build();
  config.info.contact = { name: 'API support', email: 'api-support@fd-onboarding.example' };
  const document = SwaggerModule.createDocument(app, config, {
    // unique, for client generators: controllers share method names
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  return documentFailures(document, api);
}

const guideHint = (guideUrl: string | undefined): string[] =>
  guideUrl === undefined
    ? []
    : [`The [guide](${guideUrl}/) has a page for each error code: \`${guideUrl}/errors/{errorCode}\`.`];

/** Whether a path is one of the document's; case-insensitive and with optional trailing slash, as in Express. */
export function isOfApiDocument(path: string): boolean {
  return /^\/(?:openapi\.json|docs)(?:\/|$)/i.test(path);
}

/** Whether a path is a file of the page at `/docs`. */
export function isFileOfApiDocs(path: string): boolean {
  return /^\/docs\/[^/]/i.test(path);
}

/** Serves the document at `/openapi.json` and a page to read and try it at `/docs`. */
export function serveApiDocument(app: NestExpressApplication, api: ApiDescription): void {
  let document: OpenAPIObject | undefined;
  const build = (): OpenAPIObject => (document ??= apiDocument(app, api));
  app.get(ApiDocument).provide(build, api.guideUrl);
  const express: Express = app.getHttpAdapter().getInstance();
  serveUnchanged(express, '/openapi.json', 'json', () =>
    JSON.stringify(api.examplesFile ? withExamples(build(), api.examplesFile, api.guideUrl) : build()),
  );
  serveApiDocs(express, api.title);
}
