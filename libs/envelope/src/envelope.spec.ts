import { Body, Controller, Get, Module, Param, Post, Res } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { GeneralErrors, LoginErrors, OtpErrors, SessionErrors, type ValidationRule } from '@fd/errors';
import { registerDecorator } from 'class-validator';
import type { NextFunction, Request, Response } from 'express';
import request from 'supertest';
import { EnvelopeAdapter, PreparedAnswer } from './envelope.adapter.js';
import { EnvelopeModule } from './envelope.module.js';
import { readBody } from './request-body.js';
import { requestStore, withRequestStore } from './request-store.js';
import { RefusalGuard } from './refusal.guard.js';
import { Answers, AnswersRaw } from './route-contract.js';

/** A rule on a field that always fails, with its code and place. */
function Fails(rule: ValidationRule): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: `fails${rule.order}`,
      target: target.constructor,
      propertyName: String(property),
      options: { context: rule },
      validator: { validate: (value) => value === 'good', defaultMessage: () => 'fails' },
    });
}

class TwoFields {
  @Fails({ error: OtpErrors.wrongLength, order: 3 })
  later: string;

  // decorators run from last to first, but the order of the rules counts
  @Fails({ error: LoginErrors.phoneMalformed, order: 2 })
  @Fails({ error: LoginErrors.phoneInvalid, order: 1 })
  first: string;
}

class Unspeakable {
  @Fails({ error: null, order: 4 })
  field: string;
}

/** Characters of one to four bytes. */
const LONG = { text: 'aé₹😀'.repeat(10_000) };

@Controller()
class ExampleController {
  @Post('created')
  @Answers({ status: 201, bodyStatus: 200, message: 'Made', badRequestMessage: 'Bad request' })
  created(@Body() body: TwoFields): object {
    return body;
  }

  @Post('opened/:status')
  @Answers({
    status: 201,
    message: 'Opened',
    alternatives: [{ status: 200 }, { status: 202, message: 'Later' }],
  })
  opened(@Param('status') status: string, @Res({ passthrough: true }) response: Response): void {
    if (status !== '201') response.status(Number(status));
  }

  @Post('unspeakable')
  @Answers({ hasBareRefusals: true })
  unspeakable(@Body() body: Unspeakable): object {
    return body;
  }

  @Get('nothing')
  @Answers()
  nothing(): void {
    return undefined;
  }

  @Get('prepared')
  @Answers({ message: 'Größe' })
  prepared(): PreparedAnswer<object> {
    return new PreparedAnswer(requestStore()!.contract!, LONG);
  }

  @Get('things/:id')
  @Answers()
  thing(): object {
    return {};
  }

  @Get('raw')
  @AnswersRaw()
  raw(): object {
    return { success: 'mine' };
  }

  @Get('refused')
  @Answers()
  refused(): never {
    throw LoginErrors.tooManySends({ retryAfterSeconds: 7 });
  }

  @Get('stranger')
  @Answers()
  stranger(): never {
    throw SessionErrors.tokenMissing();
  }

  @Get('defect')
  @Answers()
  defect(): never {
    throw new Error('password is hunter2');
  }

  @Get('store-away')
  @Answers()
  storeAway(): never {
    throw new RangeError('away');
  }
}

@Module({
  imports: [
    EnvelopeModule.forRoot({
      errors: GeneralErrors,
      challenge: 'Example',
      isUnavailable: (error) => error instanceof RangeError,
    }),
  ],
  controllers: [ExampleController],
  providers: [{ provide: APP_GUARD, useClass: RefusalGuard }],
})
class ExampleModule {}

describe('the envelope', () => {
  let app: NestExpressApplication;
  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [ExampleModule] }).compile();
    app = module.createNestApplication<NestExpressApplication>(new EnvelopeAdapter(), {
      bodyParser: false,
      logger: false,
    });
    app.use((_incoming: Request, _response: Response, next: NextFunction) => withRequestStore({}, next));
    app.use(readBody(1_000));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const get = (path: string) => request(app.getHttpServer()).get(path);
  const post = (path: string, body: object) => request(app.getHttpServer()).post(path).send(body);
  const codes = ({ body }: { body: { error: { errorCode: string }[] } }) =>
    body.error.map(({ errorCode }) => errorCode);

  it('wraps a success as its route declares: HTTP 201 with 200 in the body', async () => {
    const response = await post('/created', { first: 'good', later: 'good', unknown: 1 });
    expect([response.status, response.body]).toEqual([
      201,
      { success: 1, statusCode: 200, message: 'Made', payload: { first: 'good', later: 'good' } },
    ]);
  });

  it.each([
    [201, 'Opened'],
    [200, 'Opened'],
    [202, 'Later'],
  ])('wraps the success that the handler chose: HTTP %d', async (status, message) => {
    const response = await post(`/opened/${status}`, {});
    expect([response.status, response.body]).toEqual([
      status,
      { success: 1, statusCode: status, message, payload: {} },
    ]);
  });

  it('documents every success of a route', () => {
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    const responses = paths['/opened/{status}']!.post!.responses as Record<string, { description: string }>;
    expect(Object.entries(responses).map(([status, { description }]) => [status, description])).toEqual([
      ['200', 'Opened'],
      ['201', 'Opened'],
      ['202', 'Later'],
    ]);
  });

  it('answers an empty object without a payload', async () => {
    expect((await get('/nothing')).body).toEqual({
      success: 1,
      statusCode: 200,
      message: 'SUCCESS',
      payload: {},
    });
  });

  it('wraps a prepared success byte by byte and sends its length', async () => {
    const expected = {
      success: 1,
      statusCode: 200,
      message: 'Größe',
      payload: { text: 'aé₹😀'.repeat(10_000) },
    };
    const answer = await get('/prepared').set('accept-encoding', 'identity');
    expect(answer.body).toEqual(expected);
    const length = String(Buffer.byteLength(JSON.stringify(expected)));
    expect(answer.headers).toMatchObject({
      'content-length': length,
      'content-type': 'application/json; charset=utf-8',
    });
    const head = await request(app.getHttpServer()).head('/prepared').set('accept-encoding', 'identity');
    expect(head.headers['content-length']).toBe(length);
    expect(head.text).toBeUndefined();
  });

  it('sends a prepared success compressed to clients that accept gzip', async () => {
    const ask = (encodings: string) => get('/prepared').set('accept-encoding', encodings);
    const plain = await ask('identity');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers).toMatchObject({
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{27}"$/),
    });
    for (const encodings of ['gzip', 'br, gzip;q=0.5', '*']) {
      const { body, headers } = await ask(encodings);
      expect(body).toEqual(plain.body);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(Number(headers['content-length'])).toBeLessThan(2_000);
      expect(`W/${headers['etag']}`).toBe(plain.headers['etag']);
    }
    for (const encodings of ['', 'br', 'gzip;q=0', 'gzip;q=0, *']) {
      expect((await ask(encodings)).headers).toMatchObject({ etag: plain.headers['etag'] });
    }
  });

  it('answers 304 to the ETag of a prepared success, strong or weak', async () => {
    const { etag } = (await get('/prepared')).headers as { etag: string };
    for (const encodings of ['gzip', 'identity']) {
      const answer = await get('/prepared').set({ 'accept-encoding': encodings, 'if-none-match': etag });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers).toMatchObject({ vary: 'Accept-Encoding' });
    }
  });

  it('does not wrap raw answers', async () => {
    expect((await get('/raw')).body).toEqual({ success: 'mine' });
  });

  it('reports all failing rules of all fields, in the order of the rules', async () => {
    const response = await post('/created', {});
    const ofFirst = [LoginErrors.phoneInvalid.code, LoginErrors.phoneMalformed.code];
    expect(codes(response)).toEqual([...ofFirst, OtpErrors.wrongLength.code]);
    expect(response.body).toMatchObject({
      message: 'Bad request',
      error: ['first', 'first', 'later'].map((field) => ({ f_error_reason: field, field })),
    });
    expect(codes(await post('/created', { first: 'good' }))).toEqual([OtpErrors.wrongLength.code]);
  });

  it('answers a rule without a code without items and with a hint header, as its route documents', async () => {
    const response = await post('/unspeakable', {});
    expect(response.body).toEqual({
      success: 0,
      statusCode: 400,
      message: 'Bad Request',
      payload: {},
      error: [],
    });
    expect(response.headers['x-error-hint']).toBe('Send the field field.');
  });

  it('sends the seconds to wait with a refusal', async () => {
    const response = await get('/refused');
    expect([response.status, response.headers['retry-after']]).toEqual([429, '7']);
    expect(response.body).toMatchObject({
      message: 'Too Many Requests',
      error: [{ f_error_reason: 'OTP_SENDS_EXHAUSTED' }],
    });
  });

  it('sends WWW-Authenticate with a 401', async () => {
    const response = await get('/stranger');
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Example']);
  });

  it('hides the details of a defect', async () => {
    const response = await get('/defect');
    expect(response.status).toBe(500);
    expect(codes(response)).toEqual([GeneralErrors.internal.code]);
    expect(response.text).not.toContain('hunter2');
  });

  it('answers 503 with Retry-After when a store is down', async () => {
    const response = await get('/store-away');
    expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
    expect(codes(response)).toEqual([GeneralErrors.unavailable.code]);
  });

  it.each(['/nowhere', '/created/more', '/nothing'])(
    'answers 404 for an unknown call: POST %s',
    async (path) => {
      const response = await post(path, {});
      expect(response.status).toBe(404);
      expect(codes(response)).toEqual([GeneralErrors.routeUnknown.code]);
    },
  );

  it('answers 400 for a path that cannot be decoded', async () => {
    const response = await get('/things/%E0%A4%A');
    expect([response.status, codes(response)]).toEqual([400, [GeneralErrors.requestUnreadable.code]]);
    expect(response.text).toContain('Send a path that can be decoded.');
  });

  it('refuses a body over the limit without reading the rest', async () => {
    const response = await post('/created', { first: 'x'.repeat(2_000) });
    expect(codes(response)).toEqual([GeneralErrors.requestUnreadable.code]);
    expect(response.text).toContain('at most 1000 bytes');
    expect(response.headers['connection']).toBe('close');
  });
});
