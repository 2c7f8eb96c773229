import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';

const BEFORE_CONFIRMATION = Symbol('before confirmation');

/** A route that an unconfirmed session may call: it neither reads nor changes the data of the account. */
export const BeforeConfirmation = (): ClassDecorator & MethodDecorator =>
  SetMetadata(BEFORE_CONFIRMATION, true);

export const isBeforeConfirmation = (reflector: Reflector, context: ExecutionContext): boolean =>
  reflector.getAllAndOverride<true | undefined>(BEFORE_CONFIRMATION, [
    context.getHandler(),
    context.getClass(),
  ]) === true;
