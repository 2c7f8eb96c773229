import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import {
  apiDocument,
  Clock,
  configureApp,
  createLogger,
  HttpServer,
  NEST_OPTIONS,
  NestLogger,
} from '@fd/platform';
import { ApiClient, DocumentedAnswers } from '@fd/testing';
import request, { type Test as Call } from 'supertest';
import { AppModule } from '../../src/app.module.js';
import { sandboxConfig } from '../../src/config/sandbox-config.js';
import { Effects } from '../../src/effects/effects.service.js';
import { Inbox } from '../../src/inbox/inbox.store.js';
import { CoreBankingController } from '../../src/issuers/core-banking/core-banking.controller.js';
import { RestLeadsController } from '../../src/issuers/rest/rest-leads.controller.js';
import { AadhaarService } from '../../src/providers/aadhaar/aadhaar.service.js';
import { BankController } from '../../src/providers/bank/bank.controller.js';
import { EkycService } from '../../src/providers/ekyc/ekyc.service.js';
import { LockerService } from '../../src/providers/locker/locker.service.js';
import { SANDBOX } from '../../src/service.js';
import { FineractController } from '../../src/vendors/fineract/fineract.controller.js';
import { Wire } from '../../src/wire/wire.store.js';
import { FakeClock } from './fake-clock.js';

/** The real application on its own port, with its log. */
export interface Sandbox {
  readonly app: NestExpressApplication;
  readonly baseUrl: string;
  /** Lines of the log so far. */
  readonly log: string[];
}

/** @param clock defaults to the sandbox's own; a test passes one that it can move */
export async function startSandbox({
  clock,
  settings = {},
}: { clock?: Clock; settings?: Record<string, string> } = {}): Promise<Sandbox> {
  const config = sandboxConfig({
    NODE_ENV: 'test',
    PORT: '0',
    HTTPS_PORT: '0',
    SMTP_PORT: '0',
    ...settings,
  });
  const log: string[] = [];
  const logger = createLogger({ service: SANDBOX.name }, config.http.logLevel, {
    write: (line) => void log.push(line),
  });
  const testing = Test.createTestingModule({ imports: [AppModule.forRoot(config)] });
  if (clock) testing.overrideProvider(Clock).useValue(clock);
  const module = await testing.compile();
  const app = module.createNestApplication<NestExpressApplication>({
    ...NEST_OPTIONS,
    logger: new NestLogger(logger),
  });
  configureApp(app, config.http, SANDBOX, logger);
  await app.init();
  const server = app.get(HttpServer);
  await server.listen(config.http, false);
  return { app, log, baseUrl: `http://127.0.0.1:${server.port}` };
}

const STORES = [
  AadhaarService,
  BankController,
  CoreBankingController,
  Effects,
  EkycService,
  FineractController,
  Inbox,
  LockerService,
  RestLeadsController,
  Wire,
];

/**
 * Boots one sandbox for all tests of a block. Before each test its memory and log are emptied and a fake clock is reset.
 * @returns an object that has its properties once the tests run
 */
export function bootSandbox(clock?: Clock): Sandbox {
  const sandbox = {} as Sandbox;
  beforeAll(async () => {
    Object.assign(sandbox, await startSandbox(clock && { clock }));
  });
  beforeEach(() => {
    for (const store of STORES)
      for (const kept of Object.values(sandbox.app.get<object>(store, { strict: false })))
        if (kept instanceof Map) kept.clear();
    sandbox.log.length = 0;
    if (clock instanceof FakeClock) clock.reset();
  });
  afterAll(() => sandbox.app.close());
  return sandbox;
}

/** A client that compares every answer with the sandbox's API document. */
export const documentedClient = ({ app, baseUrl }: Sandbox): ApiClient =>
  new ApiClient(baseUrl, new DocumentedAnswers(apiDocument(app, SANDBOX.api)));

interface Sms {
  readonly to: string;
  readonly template_id: string;
  readonly text: string;
}

export const anSms = (changes: Partial<Sms> = {}): Sms => ({
  to: '919812345678',
  template_id: 'login_otp',
  text: 'Your code is 482913.',
  ...changes,
});

export interface Sending {
  readonly provider?: string;
  readonly idempotencyKey?: string;
}

/** A well-formed call to a provider. */
export function sendSms(
  { baseUrl }: Sandbox,
  sms: object = anSms(),
  { provider = 'primary', idempotencyKey }: Sending = {},
): Call {
  const call = request(baseUrl)
    .post(`/providers/sms/${provider}/messages`)
    .set('Authorization', 'Bearer any-key')
    .send(sms);
  return idempotencyKey === undefined ? call : call.set('Idempotency-Key', idempotencyKey);
}
