import { Controller, type DynamicModule, Get, Global, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AnswersRaw } from '@fd/envelope';
import type { Response } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Clock } from './clock.js';
import { HttpServer } from './http/http-server.js';
import { Public } from './http/public.decorator.js';
import { StoreCalls } from './observability/store-calls.js';
import { ApiDocument } from './openapi/api-document.js';
import { Uncounted } from './rate-limit/rate-limit.module.js';
import { Tracing } from './tracing/start-tracing.js';

@ApiExcludeController()
@Uncounted()
@Controller()
class MetricsController {
  constructor(private readonly registry: Registry) {}

  @Get('metrics')
  @Public()
  @AnswersRaw()
  async metrics(@Res() response: Response): Promise<void> {
    const text = await this.registry.metrics();
    response.setHeader('content-type', this.registry.contentType);
    response.send(text);
  }
}

/** Common parts of services. Prometheus reads the metrics of the registry at `/metrics`. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [
    {
      provide: Registry,
      useFactory: () => {
        const registry = new Registry();
        collectDefaultMetrics({ register: registry });
        return registry;
      },
    },
    StoreCalls,
    Clock,
    ApiDocument,
    HttpServer,
    Tracing,
  ],
  exports: [Registry, StoreCalls, Clock, ApiDocument, HttpServer],
})
export class PlatformModule {
  static withClock(clock: Clock): DynamicModule {
    return { module: PlatformModule, providers: [{ provide: Clock, useFactory: () => clock }] };
  }
}
