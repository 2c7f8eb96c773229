import { Controller, Get, Global, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AnswersRaw } from '@fd/envelope';
import type { Response } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Public } from '../http/public.decorator.js';
import { Uncounted } from '../rate-limit/rate-limit.module.js';
import { StoreCalls } from './store-calls.js';

@ApiExcludeController()
@Uncounted()
@Controller()
export class MetricsController {
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

/** One registry for the process, in the Prometheus format at `/metrics`. */
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
  ],
  exports: [Registry, StoreCalls],
})
export class MetricsModule {}
