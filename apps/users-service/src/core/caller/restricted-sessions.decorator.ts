import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

/** A route that an unconfirmed session may call: it neither reads nor changes the data of the account. */
export const BeforeConfirmation = Reflector.createDecorator<void, true>({ transform: () => true });

/**
 * A route by which a person uses their own rights: to look, to withdraw, to end sessions. A session of a partner with which the account is
 * not shared may call it, too, once the person has confirmed the account.
 */
export const WithoutSharing = Reflector.createDecorator<void, true>({ transform: () => true });

export const allows = (
  reflector: Reflector,
  decorator: typeof BeforeConfirmation,
  context: ExecutionContext,
): boolean => reflector.getAllAndOverride(decorator, [context.getHandler(), context.getClass()]) === true;
