import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import { IS_PUBLIC } from '@fd/platform';
import type { Request } from 'express';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { hashApiKey } from './api-key.js';

declare global {
  namespace Express {
    interface Request {
      /** Client whose key the request carries; undefined without a key that works. */
      apiClient?: string;
    }
  }
}

/**
 * Finds out who is calling and lets everybody pass: the rate limit, which comes next, counts a known client by
 * name and everybody else by address, refused calls included.
 */
@Injectable()
export class ApiClientGuard implements CanActivate {
  constructor(private readonly snapshot: CatalogueSnapshot) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['apikey'];
    if (typeof key === 'string' && this.snapshot.isLoaded) {
      request.apiClient = this.snapshot.clientWith(hashApiKey(key));
    }
    return true;
  }
}

/** Refuses calls without a key that works, unless the route is public. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly snapshot: CatalogueSnapshot,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, places)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.headers['apikey']) throw ApiKeyErrors.missing();
    // before the first load no key is known: that is our trouble, not the client's
    if (!this.snapshot.isLoaded) throw MasterErrors.unavailable();
    if (request.apiClient === undefined) throw ApiKeyErrors.invalid();
    return true;
  }
}
