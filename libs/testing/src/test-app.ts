import { readFileSync } from 'node:fs';
import { globalAgent, type Server } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import {
  Clock,
  configureApp,
  createLogger,
  type HttpConfig,
  HttpServer,
  NEST_OPTIONS,
  NestLogger,
  Readiness,
  type ServiceDefinition,
} from '@fd/platform';
import { EnvelopeAdapter } from '@fd/envelope';
import { ApiClient } from './contract/api-client.js';
import { DocumentedAnswers } from './contract/documented-answers.js';
import { HAS_GENEROUS_LIMITS } from './generous-limits.config.js';

export interface TestApp {
  readonly app: NestExpressApplication;
  /** Its own address. */
  readonly url: string;
  readonly server: Server;
  /** Validates every answer against the service's document in docs/openapi, which `npm run docs` rewrites. */
  readonly api: ApiClient;
  /** Logs of all applications of this file so far: Nest has one logger for a process. */
  readonly logs: () => string;
  close(): Promise<void>;
}

const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

/** A service as in production except for its clock, on a free port of 127.0.0.1. */
export async function startTestApp(
  module: Type | DynamicModule,
  http: HttpConfig,
  definition: ServiceDefinition,
  clock: Clock,
): Promise<TestApp> {
  const logger = createLogger({ service: definition.name }, 'debug', sink);
  const testing = await Test.createTestingModule({ imports: [module] })
    .overrideProvider(Clock)
    .useValue(clock)
    .setLogger(new NestLogger(logger))
    .compile();
  const app = testing.createNestApplication<NestExpressApplication>(new EnvelopeAdapter(), NEST_OPTIONS);
  configureApp(app, http, definition, logger);
  try {
    await app.init();
    await app.get(HttpServer).listen({ ...http, port: 0, host: '127.0.0.1' }, true);
    await untilReady(app);
  } catch (error) {
    await app.close();
    throw error;
  }
  const { server, port } = app.get(HttpServer);
  const url = `http://127.0.0.1:${port}`;
  return {
    app,
    url,
    server: server!,
    api: new ApiClient(url, documentedAnswers(definition.name), {}, globalAgent),
    logs: () => lines.join(''),
    close: () => app.close(),
  };
}

const documented = new Map<string, DocumentedAnswers>();

/**
 * Reads the document of docs/openapi, because creating it takes 0.1 s of processor time in each test file. A spec of each
 * service compares it with the served one.
 */
function documentedAnswers(service: string): DocumentedAnswers {
  const file = join(import.meta.dirname, `../../../docs/openapi/${service}.json`);
  const answers =
    documented.get(service) ?? new DocumentedAnswers(JSON.parse(readFileSync(file, 'utf8')) as object);
  documented.set(service, answers);
  return answers;
}

/** Time limit for connections to the stores. */
const CONNECT_MS = HAS_GENEROUS_LIMITS ? 30_000 : 3_000;

/** Waits for the stores as a load balancer does, with a limit, since a test may begin without them. */
async function untilReady(app: NestExpressApplication): Promise<void> {
  const readiness = app.get(Readiness);
  for (const end = Date.now() + CONNECT_MS; Date.now() < end; await sleep(50)) {
    const { checks } = await readiness.report();
    if (Object.values(checks).every((state) => state === 'up')) return;
  }
}
