import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ENVELOPE_OPTIONS, type EnvelopeOptions } from '@fd/envelope';

@ApiExcludeController()
@Controller()
class UnknownRouteController {
  /** Never reached: the KnownRouteGuard refuses before. */
  @All('{*path}')
  refuse(): void {
    throw new Error('the application has no KnownRouteGuard');
  }
}

/**
 * Refuses what no route serves. Comes after the rate limit: a call that does not exist is counted like any other, or
 * it would be a way to keep a service busy without end.
 */
@Injectable()
export class KnownRouteGuard implements CanActivate {
  constructor(@Inject(ENVELOPE_OPTIONS) private readonly options: EnvelopeOptions) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getClass() === UnknownRouteController) throw this.options.errors.routeUnknown();
    return true;
  }
}

/** Takes every call that no other module does, so that the guards see it. Has to be the last that is imported. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

/** As the router knows the route of what has none. */
export const UNKNOWN_ROUTE = '/{*path}';
