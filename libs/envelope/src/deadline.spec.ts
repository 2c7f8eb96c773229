import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Controller,
  Get,
  Injectable,
  Module,
  Post,
  Req,
  Res,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { GeneralErrors } from '@fd/errors';
import type { NextFunction, Request, Response } from 'express';
import request from 'supertest';
import {
  DeadlineGuard,
  atLimit,
  enforceDeadline,
  remainingMs,
  whenTooLate,
  withDeadline,
  within,
} from './deadline.js';
import { EnvelopeAdapter } from './envelope.adapter.js';
import { EnvelopeModule } from './envelope.module.js';
import { ErrorFilter } from './error.filter.js';
import { readBody } from './request-body.js';
import { type RequestStore, requestStore, withRequestStore } from './request-store.js';
import { RefusalGuard } from './refusal.guard.js';
import { Answers } from './route-contract.js';

/** Steps of a test's request that the test releases, and events that it has seen. */
class Stage {
  store: RequestStore | undefined;
  begun = false;
  chosenStatus: number | undefined;
  readonly noted: string[] = [];
  end: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
}

/** By the header of the requests. */
const stages = new Map<string, Stage>();
const STAGE = 'x-stage';
const stageOf = ({ headers }: Request): Stage => stages.get(String(headers[STAGE]))!;

const SLOW_GUARD_MS = 300;
const DEADLINE_MS = 3_000;
/** For a guard that waits, on a busy machine too. */
const LONG_DEADLINE_MS = 60_000;

/** Waits where the header says. */
@Injectable()
class WaitingGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<true> {
    const incoming = context.switchToHttp().getRequest<Request>();
    if (incoming.headers['x-guard'] === 'hangs') await stageOf(incoming).ended;
    if (incoming.headers['x-guard'] === 'slow') await sleep(SLOW_GUARD_MS);
    return true;
  }
}

@Controller()
class WaitingController {
  @Get('remaining')
  @Answers()
  remaining(@Req() incoming: Request): object {
    stageOf(incoming).begun = true;
    return { ms: remainingMs() };
  }

  @Post('made')
  @Answers({ status: 201, message: 'Made', alternatives: [{ status: 202 }] })
  async made(@Req() incoming: Request, @Res({ passthrough: true }) response: Response): Promise<object> {
    const stage = stageOf(incoming);
    stage.begun = true;
    response.status(202);
    await stage.ended;
    stage.chosenStatus = response.statusCode;
    return { late: true };
  }

  @Get('noted')
  @Answers()
  async noted(@Req() incoming: Request, @Res() response: Response): Promise<void> {
    const stage = stageOf(incoming);
    const takeBack = whenTooLate(() =>
      stage.noted.push(response.headersSent ? 'too late' : 'before the answer'),
    );
    await stage.ended;
    takeBack();
    whenTooLate(() => stage.noted.push('after it'));
  }

  @Get('failing')
  @Answers()
  async failing(@Req() incoming: Request): Promise<never> {
    await stageOf(incoming).ended;
    throw new Error('a defect that came too late');
  }

  @Get('half')
  @Answers()
  async half(@Req() incoming: Request, @Res() response: Response): Promise<void> {
    response.write('half');
    await stageOf(incoming).ended;
    response.end(' and half');
  }
}

@Module({
  imports: [
    EnvelopeModule.forRoot({
      errors: GeneralErrors,
      challenge: 'Example',
      isUnavailable: () => false,
    }),
  ],
  controllers: [WaitingController],
  providers: [
    { provide: APP_GUARD, useClass: RefusalGuard },
    { provide: APP_GUARD, useClass: WaitingGuard },
    { provide: APP_GUARD, useClass: DeadlineGuard },
  ],
})
class WaitingModule {}

describe('the deadline', () => {
  let app: NestExpressApplication;
  const errors: unknown[] = [];
  const note = (...args: unknown[]): void => void errors.push(args);

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [WaitingModule] }).compile();
    app = module.createNestApplication<NestExpressApplication>(new EnvelopeAdapter(), {
      bodyParser: false,
      logger: { log: () => undefined, warn: note, error: note },
    });
    app.use((_incoming: Request, _response: Response, next: NextFunction) => withRequestStore({}, next));
    const [short, long] = [DEADLINE_MS, LONG_DEADLINE_MS].map((ms) =>
      enforceDeadline(app.get(ErrorFilter), ms),
    );
    app.use((incoming: Request, response: Response, next: NextFunction) =>
      (incoming.headers['x-guard'] === 'slow' ? long! : short!)(incoming, response, next),
    );
    app.use((incoming: Request, _response: Response, next: NextFunction) => {
      stageOf(incoming).store = requestStore();
      next();
    });
    app.use(readBody(1_000));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    // a failed test may have released nothing
    for (const stage of stages.values()) stage.end();
    await app.close();
  });

  /** A stage, and a call of it. */
  function newStage() {
    const stage = new Stage();
    const headers = { [STAGE]: String(stages.size) };
    stages.set(headers[STAGE], stage);
    const get = (path: string, guard = 'open') =>
      request(app.getHttpServer())
        .get(path)
        .set({ ...headers, 'x-guard': guard });
    return { stage, headers, get };
  }

  const port = () => (app.getHttpServer().address() as AddressInfo).port;

  const refusal = {
    success: 0,
    statusCode: 503,
    error: [expect.objectContaining({ errorCode: GeneralErrors.unavailable.code })],
  };

  /** Releases everything that waits. */
  async function release(stage: Stage): Promise<void> {
    stage.end();
    await sleep(50);
  }

  // the tests wait for the deadline beside each other
  it.concurrent('counts the time of guards', async () => {
    const { get } = newStage();
    const { body } = await get('/remaining', 'slow');
    expect(body.payload.ms).toBeLessThanOrEqual(LONG_DEADLINE_MS - SLOW_GUARD_MS + 1);
    expect(body.payload.ms).toBeGreaterThan(0);
  });

  it('returns no deadline outside of requests', () => {
    expect(remainingMs()).toBe(Infinity);
  });

  it.concurrent('runs registered work before it answers 503', async () => {
    const { stage, get } = newStage();
    const { body } = await get('/noted');
    expect(body).toMatchObject(refusal);
    expect(stage.noted).toEqual(['before the answer']);
    await release(stage);
    expect(stage.noted).toEqual(['before the answer', 'after it']);
  });

  it('runs no work that was cancelled or registered outside of requests', () => {
    const done: string[] = [];
    whenTooLate(() => done.push('outside'))();
    withDeadline(() => {
      const takeBack = whenTooLate(() => done.push('taken back'));
      whenTooLate(() => done.push('left'));
      takeBack();
      for (const act of requestStore()!.time!.acts) act();
    });
    expect(done).toEqual(['left']);
  });

  it.concurrent('answers 503 while a guard hangs, and does not start the handler', async () => {
    const { stage, get } = newStage();
    const response = await get('/remaining', 'hangs');
    expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
    expect(response.body).toMatchObject(refusal);
    await release(stage);
    expect([stage.begun, errors]).toEqual([false, []]);
  });

  it.concurrent('lets a late handler finish with its own status, which no client sees', async () => {
    const { stage, headers } = newStage();
    const response = await request(app.getHttpServer()).post('/made').set(headers).send({});
    expect(response.body).toMatchObject(refusal);
    expect(stage.chosenStatus).toBeUndefined();
    await release(stage);
    expect([stage.begun, stage.chosenStatus, errors]).toEqual([true, 202, []]);
    expect(stage.store!.isTooLate).toBe(true);
  });

  it.concurrent('ignores an error of a late handler', async () => {
    const { stage, get } = newStage();
    expect((await get('/failing')).body).toMatchObject(refusal);
    await release(stage);
    expect(errors).toEqual([]);
  });

  it.concurrent('leaves the connection usable', async () => {
    const { stage, headers } = newStage();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (path: string): Promise<[number, number]> => {
      const call = httpGet({ port: port(), path, agent, headers });
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return [response.statusCode!, call.socket!.localPort!];
    };
    const [late, localPort] = await ask('/failing');
    await release(stage);
    expect([late, await ask('/remaining')]).toEqual([503, [200, localPort]]);
    agent.destroy();
  });

  it.concurrent('answers 503 while a body does not arrive, and closes the connection', async () => {
    const { stage, headers } = newStage();
    const socket = connect(port(), '127.0.0.1');
    socket.write(
      `POST /made HTTP/1.1\r\nhost: x\r\n${STAGE}: ${headers[STAGE]}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    );
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    const [head, body] = Buffer.concat(parts).toString().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 503 [^]*connection: close/i);
    expect(JSON.parse(body!)).toMatchObject(refusal);
    await release(stage);
    expect([stage.begun, errors]).toEqual([false, []]);
  });

  it.concurrent('changes no answer that has begun', async () => {
    const { stage, get } = newStage();
    const response = get('/half').then(({ text }) => text);
    await sleep(DEADLINE_MS + 100);
    stage.end();
    expect(await response).toBe('half and half');
    expect(stage.store!.isTooLate).toBeUndefined();
  });
});

describe('a time limit that passes while the process is blocked', () => {
  it('acts after input that has arrived', async () => {
    const order: string[] = [];
    const limit = new Promise<void>((resolve) => {
      const server = createServer((socket) => {
        socket.end('in time', () => {
          atLimit(() => {
            order.push('limit');
            server.close();
            resolve();
          }, 10);
          for (const end = performance.now() + 50; performance.now() < end;);
        });
      }).listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        connect(port, '127.0.0.1').once('data', () => order.push('input'));
      });
    });
    await limit;
    expect(order).toEqual(['input', 'limit']);
  });
});

describe('work with a time limit', () => {
  it('returns its result or its error', async () => {
    expect(await within(10_000, Promise.resolve('done'))).toBe('done');
    await expect(within(10_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  it('continues after the time limit, and returns no result', async () => {
    let end: (result: string) => void;
    const work = new Promise<string>((resolve) => (end = resolve));
    expect(await within(10, work)).toBeUndefined();
    end!('done');
    expect(await work).toBe('done');
  });
});
