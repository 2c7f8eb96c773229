import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SessionErrors } from '@fd/errors';
import type { Request } from 'express';
import { isPublic } from './identify.guard.js';

/** Refuses calls without a session, unless the route is public. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (isPublic(this.reflector, context) || request.session) return true;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- whatever the check of the token threw is passed on
    throw request.sessionError ?? SessionErrors.tokenMissing();
  }
}
