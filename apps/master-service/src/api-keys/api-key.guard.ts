import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeyErrors, type AppError, MasterErrors } from '@fd/errors';
import { isPublic } from '@fd/platform';
import type { Request } from 'express';
import type { ApiClient } from '../catalogue/catalogue.repository.js';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { hashApiKey } from './api-key.js';

declare global {
  namespace Express {
    interface Request {
      /** Whose key the request carries; undefined without a key that works. */
      apiClient?: ApiClient | undefined;
    }
  }
}

/** Demands a key that works, unless the route is public. Called by the RequestGuard. */
@Injectable()
export class ApiKeyGuard {
  constructor(
    private readonly reflector: Reflector,
    private readonly snapshot: CatalogueSnapshot,
  ) {}

  /** Notes which client calls. @returns why none is known, to be thrown once the call was counted */
  identify(context: ExecutionContext): AppError | undefined {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['apikey'];
    const { isLoaded } = this.snapshot;
    if (typeof key === 'string' && isLoaded) request.apiClient = this.snapshot.clientWith(hashApiKey(key));
    if (request.apiClient !== undefined || isPublic(this.reflector, context)) return undefined;
    if (!key) return ApiKeyErrors.missing();
    // before the first load no key is known: that is our trouble, not the client's
    return (isLoaded ? ApiKeyErrors.invalid : MasterErrors.unavailable)();
  }
}
