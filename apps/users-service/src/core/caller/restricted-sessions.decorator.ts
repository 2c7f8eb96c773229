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

const WITHOUT_SHARING = Symbol('without sharing');

/**
 * A route by which a person uses their own rights: to look, to withdraw, to end sessions. A session of a partner with which the account is
 * not shared may call it, too, once the person has confirmed the account.
 */
export const WithoutSharing = (): ClassDecorator & MethodDecorator => SetMetadata(WITHOUT_SHARING, true);

export const isWithoutSharing = (reflector: Reflector, context: ExecutionContext): boolean =>
  reflector.getAllAndOverride<true | undefined>(WITHOUT_SHARING, [
    context.getHandler(),
    context.getClass(),
  ]) === true;
