import { setTimeout as sleep } from 'node:timers/promises';
import {
  Controller,
  type DynamicModule,
  type FactoryProvider,
  Get,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  Res,
  ServiceUnavailableException,
} from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  HealthCheckService,
  type HealthCheckResult,
  HealthIndicatorService,
  type HealthIndicatorResult,
  TerminusModule,
} from '@nestjs/terminus';
import { AnswersRaw, timeLimit } from '@fd/envelope';
import type { RequestHandler, Response } from 'express';
import { Public } from '../http/public.decorator.js';
import { Uncounted } from '../rate-limit/rate-limit.module.js';

/** A dependency of the service. Resolves if usable, throws otherwise. */
export interface ReadinessCheck {
  readonly name: string;
  /** Reported without making the service unready: the service can work in part without it. */
  readonly isOptional?: boolean;
  check(): Promise<void>;
}

const READINESS_CHECKS = Symbol('readiness checks');
const DRAIN_SECONDS = Symbol('seconds of draining');
/** Half of the probes' timeout (deploy/haproxy/gateway.cfg): a late report would count as not ready. */
const CHECK_TIMEOUT_MS = timeLimit(500);

/** Whether to send traffic here; false during shutdown, so that load balancers stop first. */
@Injectable()
export class Readiness implements OnModuleDestroy {
  isDraining = false;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    @Inject(READINESS_CHECKS) private readonly checks: readonly ReadinessCheck[],
    @Inject(DRAIN_SECONDS) private readonly drainSeconds: number,
  ) {}

  /** Serves on for as long as load balancers need to notice. */
  async onModuleDestroy(): Promise<void> {
    this.isDraining = true;
    await sleep(this.drainSeconds * 1_000);
  }

  async report(): Promise<{ isReady: boolean; checks: Record<string, 'up' | 'down'> }> {
    const { status, details } = await this.health
      .check(this.checks.map((check) => () => this.resultOf(check)))
      .catch(failedCheck);
    const stateOf = (name: string) => (details[name]?.status === 'up' ? 'up' : 'down');
    return {
      isReady: !this.isDraining && (status === 'ok' || status === 'degraded'),
      checks: Object.fromEntries(this.checks.map(({ name }) => [name, stateOf(name)])),
    };
  }

  private async resultOf(check: ReadinessCheck): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(check.name);
    const result = await indicator.attempt(() => check.check()).withTimeout(CHECK_TIMEOUT_MS);
    return result[check.name]?.status === 'down' && check.isOptional ? indicator.degraded() : result;
  }
}

/** What Terminus throws for a failed check is its result, too. */
function failedCheck(thrown: unknown): HealthCheckResult {
  if (thrown instanceof ServiceUnavailableException) return thrown.getResponse() as HealthCheckResult;
  throw thrown;
}

/** Answers with `Connection: close` during a shutdown, so that clients reconnect elsewhere. */
export function closeWhileDraining(readiness: Pick<Readiness, 'isDraining'>): RequestHandler {
  return (_request, response, next) => {
    if (readiness.isDraining) response.setHeader('connection', 'close');
    next();
  };
}

class HealthReport {
  @ApiProperty({ type: String, enum: ['ok', 'unavailable'] })
  readonly status: 'ok' | 'unavailable';

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string', enum: ['up', 'down'] } })
  readonly checks?: Record<string, 'up' | 'down'>;
}

@ApiTags('Operations')
@Uncounted()
@Public()
@Controller('health')
class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Does not check the stores: a restart would not bring them back. */
  @Get('live')
  @ApiOperation({
    summary: 'Whether the process runs',
    description: 'For the liveness probe of the platform. Reads no store.',
  })
  @AnswersRaw({ payload: HealthReport })
  live(): HealthReport {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Whether traffic should be sent here',
    description:
      'For the readiness probe of the platform: 503 until the process has started, and while it shuts down. A store that is lost later is reported with 200.',
  })
  @ApiResponse({ status: 503, description: 'Not ready: starting or shutting down', type: HealthReport })
  @AnswersRaw({ payload: HealthReport })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthReport> {
    const { isReady, checks } = await this.readiness.report();
    response.status(isReady ? 200 : 503);
    return { status: isReady ? 'ok' : 'unavailable', checks };
  }
}

@Module({})
export class HealthModule {
  /** @param drainSeconds how long a service that shuts down serves on */
  static forRootAsync({
    drainSeconds,
    ...checks
  }: { readonly drainSeconds: number } & Omit<
    FactoryProvider<readonly ReadinessCheck[]>,
    'provide'
  >): DynamicModule {
    return {
      module: HealthModule,
      global: true,
      // a check that fails is reported in the answer and by the store's own log lines
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [
        { provide: READINESS_CHECKS, ...checks },
        { provide: DRAIN_SECONDS, useValue: drainSeconds },
        Readiness,
      ],
      exports: [Readiness],
    };
  }
}
