import { Injectable } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express } from 'express';
import { serveApiDocs, serveUnchanged } from './api-docs-page.js';
import { withExamples } from './examples.js';
import { type ApiDescription, documentFailures } from './failure-responses.js';

/** The application's OpenAPI document, for features that describe calls to clients; set at configuration. */
@Injectable()
export class ApiDocument {
  get: () => OpenAPIObject;
  /** Base URL of the guide, without trailing slash; undefined: none is configured. */
  guideUrl: string | undefined;
}

/** The OpenAPI 3.1 document of an application, from what its routes and contracts declare. */
export function apiDocument(app: NestExpressApplication, api: ApiDescription): OpenAPIObject {
  const hint = `The [guide](${api.guideUrl}/) has a page for each error code: \`${api.guideUrl}/errors/{errorCode}\`.`;
  const builder = new DocumentBuilder()
    .setTitle(api.title)
    .setDescription(api.guideUrl === undefined ? api.description : `${api.description}\n\n${hint}`)
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

/** Whether a path is one of the document's; case-insensitive and with optional trailing slash, as in Express. */
export const isOfApiDocument = (path: string): boolean => /^\/(?:openapi\.json|docs)(?:\/|$)/i.test(path);

/** Whether a path is a file of the page at `/docs`. */
export const isFileOfApiDocs = (path: string): boolean => /^\/docs\/[^/]/i.test(path);

/** Serves the document at `/openapi.json` and a page to read and try it at `/docs`. */
export function serveApiDocument(app: NestExpressApplication, api: ApiDescription): void {
  let document: OpenAPIObject | undefined;
  const get = (): OpenAPIObject => (document ??= apiDocument(app, api));
  Object.assign(app.get(ApiDocument), { get, guideUrl: api.guideUrl });
  const express: Express = app.getHttpAdapter().getInstance();
  serveUnchanged(express, '/openapi.json', 'json', () =>
    JSON.stringify(api.examplesFile ? withExamples(get(), api.examplesFile, api.guideUrl) : get()),
  );
  serveApiDocs(express, api.title);
}
