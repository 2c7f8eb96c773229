import {
  Controller,
  type DynamicModule,
  type FactoryProvider,
  Get,
  Inject,
  Injectable,
  Module,
  Res,
} from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AnswersRaw, within, timeLimit } from '@fd/envelope';
import type { Response } from 'express';
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
/** Half of the probes' timeout (deploy/haproxy/gateway.cfg): a late report would count as not ready. */
const CHECK_TIMEOUT_MS = timeLimit(500);

/** Whether to send traffic here; false during shutdown, so that load balancers stop first. */
@Injectable()
export class Readiness {
  /** Whether the service is shutting down. */
  isDraining = false;

  constructor(@Inject(READINESS_CHECKS) private readonly checks: readonly ReadinessCheck[]) {}

  async report(): Promise<{ isReady: boolean; checks: Record<string, 'up' | 'down'> }> {
    const results = await Promise.all(
      this.checks.map(async (check) => [check, await isUp(() => check.check())] as const),
    );
    return {
      isReady: !this.isDraining && results.every(([{ isOptional }, up]) => up || isOptional === true),
      checks: Object.fromEntries(results.map(([{ name }, up]) => [name, up ? 'up' : 'down'])),
    };
  }
}

async function isUp(check: () => Promise<void>): Promise<boolean> {
  const outcome = check().then(
    () => true,
    () => false,
  );
  return (await within(CHECK_TIMEOUT_MS, outcome)) ?? false;
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
  static forRootAsync(checks: Omit<FactoryProvider<readonly ReadinessCheck[]>, 'provide'>): DynamicModule {
    return {
      module: HealthModule,
      global: true,
      controllers: [HealthController],
      providers: [{ provide: READINESS_CHECKS, ...checks }, Readiness],
      exports: [Readiness],
    };
  }
}
