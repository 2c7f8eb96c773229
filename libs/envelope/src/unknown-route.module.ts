import { All, Controller, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

@ApiExcludeController()
@Controller()
export class UnknownRouteController {
  /** Never reached: the RequestGuard refuses before. */
  @All('{*path}')
  refuse(): void {
    throw new Error('the application has no RequestGuard');
  }
}

/** Takes every call that no other module does, so that the RequestGuard sees it. Has to be the last that is imported. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}

/** As the router knows the route of what has none. */
export const UNKNOWN_ROUTE = '/{*path}';
