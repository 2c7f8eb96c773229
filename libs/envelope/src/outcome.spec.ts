import { Controller, type ExecutionContext, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { GeneralErrors, LoginErrors } from '@fd/errors';
import type { Request } from 'express';
import request from 'supertest';
import { EnvelopeAdapter } from './envelope.adapter.js';
import { EnvelopeModule } from './envelope.module.js';
import { beforeAnswer, EarlyAnswer, type Outcome } from './outcome.js';
import { REQUEST_CHECKS, RequestGuard } from './request.guard.js';
import { Answers } from './route-contract.js';

const heard: [listener: string, outcome: Outcome][] = [];
let handled = 0;

/** Runs a call as its header `x-begin` says. */
const begin = (context: ExecutionContext): Promise<void> => {
  const call = context.switchToHttp().getRequest<Request>();
  const hear = (listener: string): void =>
    beforeAnswer(call, (outcome) => Promise.resolve(void heard.push([listener, outcome])));
  hear('outer');
  if (call.headers['x-begin'] === 'early') throw new EarlyAnswer({ kept: true });
  if (call.headers['x-begin'] === 'fails')
    beforeAnswer(call, () => Promise.reject(GeneralErrors.unavailable()));
  hear('inner');
  return Promise.resolve();
};

@Controller()
class ExampleController {
  @Get('done')
  @Answers()
  done(): object {
    handled++;
    return { done: true };
  }

  @Get('refused')
  @Answers()
  refused(): never {
    throw LoginErrors.phoneInvalid();
  }
}

@Module({
  imports: [EnvelopeModule.forRoot({ errors: GeneralErrors, challenge: '', isUnavailable: () => false })],
  controllers: [ExampleController],
  providers: [
    { provide: REQUEST_CHECKS, useValue: { begin } },
    { provide: APP_GUARD, useClass: RequestGuard },
  ],
})
class ExampleModule {}

describe('beforeAnswer', () => {
  let app: NestExpressApplication;
  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [ExampleModule] }).compile();
    app = module.createNestApplication<NestExpressApplication>(new EnvelopeAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());
  beforeEach(() => {
    heard.length = 0;
    handled = 0;
  });

  const get = (path: string, begins = '') => request(app.getHttpServer()).get(path).set('x-begin', begins);

  it('calls the listeners with a success, the last registered first', async () => {
    expect((await get('/done')).status).toBe(200);
    expect(heard).toEqual([
      ['inner', { payload: { done: true } }],
      ['outer', { payload: { done: true } }],
    ]);
  });

  it('calls the listeners with a refusal', async () => {
    expect((await get('/refused')).status).toBe(400);
    const thrown = expect.objectContaining({ httpStatus: 400 }) as unknown;
    expect(heard).toEqual([
      ['inner', { thrown }],
      ['outer', { thrown }],
    ]);
  });

  it.each(['/done', '/refused'])('answers the error of a listener instead of %s', async (path) => {
    expect((await get(path, 'fails')).status).toBe(503);
    expect(heard.map(([listener]) => listener)).toEqual(['inner']);
  });

  it('answers early without the handler, after the listeners', async () => {
    const { status, body } = await get('/done', 'early');
    expect([status, body]).toEqual([
      200,
      { success: 1, statusCode: 200, message: 'SUCCESS', payload: { kept: true } },
    ]);
    expect(heard).toEqual([['outer', expect.objectContaining({ payload: { kept: true } })]]);
    expect(handled).toBe(0);
  });
});
