import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';

const IS_PUBLIC = Symbol('is public');

/** Marks a route, or all routes of a controller, as needing no credentials. */
export const Public = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), ApiExtension('x-public', true));

export function isPublic(
  reflector: Reflector,
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): boolean {
  const places = [context.getHandler(), context.getClass()];
  return reflector.getAllAndOverride<true | undefined>(IS_PUBLIC, places) === true;
}
