import { applyDecorators, type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import { JourneyErrors } from '@fd/errors';
import type { Request } from 'express';
import { JourneyConfig } from '../../config/index.js';
import { CurrentIssuer } from './current-issuer.service.js';
import { JourneyRepository } from './journey.repository.js';
import { commonOrder, openBefore, type Step } from './journey.table.js';

const StepOfRoute = Reflector.createDecorator<Step>();

/** Assigns a route to a step of the journey. The `raises` of the route must list JourneyErrors.stepLocked. */
export const ForStep = (step: Step): MethodDecorator =>
  applyDecorators(StepOfRoute(step), ApiExtension('x-journey-step', step));

/**
 * Fourth guard, after the body is parsed, because the body may name the issuer: with STRICT_JOURNEY on, refuses the call of a step
 * while an earlier required one is open.
 */
@Injectable()
export class StepOrderGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly journey: JourneyRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly config: JourneyConfig,
  ) {}

  /** @throws JourneyErrors.stepLocked */
  async canActivate(context: ExecutionContext): Promise<true> {
    const step = this.reflector.get(StepOfRoute, context.getHandler()) as Step | undefined;
    if (!this.config.isStrict || step === undefined) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const { userId } = request.user!;
    const body = request.body as Record<string, unknown> | undefined;
    const codes = [request.query['issuer_code'], body?.['issuer_code']];
    const named = await this.currentIssuer.namedBy(userId, request.params['issuer_slug'], codes);
    const orders = this.config.issuers.map(({ steps }) => steps);
    // all of them are checked, so that a second named issuer does not bypass the order of the first
    for (const issuer of named.length > 0 ? named : [undefined]) {
      const states = await this.journey.statesOf(userId, issuer?.slug);
      const order = issuer?.steps ?? commonOrder(step, orders);
      if (openBefore(step, order, states).length > 0) throw JourneyErrors.stepLocked();
    }
    return true;
  }
}
