import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express } from 'express';
import type { ApiDescription } from './api-description.js';
import { ApiDocument } from './api-document.module.js';
import { documentFailures } from './failure-responses.js';
import { toOpenApi31 } from './openapi-31.js';

/** The OpenAPI 3.1 document of an application, from what its routes and contracts declare. */
export function apiDocument(app: NestExpressApplication, api: ApiDescription): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(api.title)
    .setDescription(api.description)
    .setVersion(api.version)
    .setOpenAPIVersion('3.1.0');
  if (api.security === 'bearer')
    builder.addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, 'bearer');
  if (api.security === 'apikey')
    builder.addApiKey({ type: 'apiKey', in: 'header', name: 'apikey' }, 'apikey');
  const document = SwaggerModule.createDocument(app, builder.build(), {
    // unique, as generators of clients need it: the same method name stands in several controllers
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  return toOpenApi31(documentFailures(document, api));
}

const DOCUMENT_PATH = '/openapi.json';
const PAGE_PATH = '/docs';
const OWN_PATH = /^\/(?:openapi\.json|docs)(?:\/|$)/i;

/** Whether a path is served here, as Express compares it: in any case, and with a slash at its end. */
export function isOfApiDocument(path: string): boolean {
  return OWN_PATH.test(path);
}

/** Serves the document at `/openapi.json` and a page to read and try it at `/docs`. */
export function serveApiDocument(app: NestExpressApplication, api: ApiDescription): void {
  let document: OpenAPIObject | undefined;
  const build = (): OpenAPIObject => (document ??= apiDocument(app, api));
  app.get(ApiDocument).provide(build);
  expressOf(app).get(DOCUMENT_PATH, (_request, response) => {
    response.json(build());
  });
  SwaggerModule.setup(PAGE_PATH, app, build, {
    raw: false,
    customSiteTitle: api.title,
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true },
  });
}

function expressOf(app: NestExpressApplication): Express {
  return app.getHttpAdapter().getInstance();
}
