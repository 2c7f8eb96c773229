import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { JourneyErrors } from '@fd/errors';
import type { Request } from 'express';
import { type Issuer, JourneyConfig } from '../../config/index.js';
import { CurrentIssuer } from './current-issuer.service.js';
import { FOR_STEP } from './for-step.decorator.js';
import { openBefore } from './journey.js';
import { JourneyRepository } from './journey.repository.js';
import { type Step, STEP_RULES, STEPS } from './journey.table.js';

/** Steps that do not depend on an issuer, for a user who has not chosen one. */
const USER_STEPS = STEPS.filter((step) => STEP_RULES[step].scope === 'user');

/**
 * With STRICT_JOURNEY on, refuses the call of a step while an earlier required one is open. Called by the
 * RequestGuard once the body is parsed, since that may name the issuer.
 */
@Injectable()
export class StepOrderGuard {
  constructor(
    private readonly reflector: Reflector,
    private readonly journey: JourneyRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly config: JourneyConfig,
  ) {}

  /** @throws JourneyErrors.stepLocked */
  async permit(context: ExecutionContext): Promise<void> {
    const step = this.reflector.get<Step | undefined>(FOR_STEP, context.getHandler());
    if (!this.config.isStrict || step === undefined) return;
    const request = context.switchToHttp().getRequest<Request>();
    const userId = request.session!.userId;
    // with all of them, so that naming a second one opens no way around the first
    for (const issuer of await this.issuersOf(userId, request)) {
      const states = await this.journey.statesOf(userId, { issuer: issuer?.slug });
      const order = issuer?.steps ?? [...new Set([...USER_STEPS, step])];
      if (openBefore(step, order, states).length > 0) throw JourneyErrors.stepLocked();
    }
  }

  private async issuersOf(userId: string, request: Request): Promise<readonly (Issuer | undefined)[]> {
    const named = await this.currentIssuer.namedBy(userId, request);
    return named.length > 0 ? named : [undefined];
  }
}
