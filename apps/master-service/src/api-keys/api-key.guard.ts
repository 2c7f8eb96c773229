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
      /** The client of the request's key; undefined without a valid key. */
      apiClient?: ApiClient | undefined;
    }
  }
}

/** Requires a valid key, unless the route is public. Called by the RequestGuard. */
@Injectable()
export class ApiKeyGuard {
  constructor(
    private readonly reflector: Reflector,
    private readonly snapshot: CatalogueSnapshot,
  ) {}

  /**
   * Identifies the client of a request by its key.
   * @returns the refusal if the route needs a key and the request has no valid one; thrown after the call was counted
   */
  identify(context: ExecutionContext): AppError | undefined {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.headers['apikey'];
    const { isLoaded } = this.snapshot;
    if (typeof key === 'string' && isLoaded) request.apiClient = this.snapshot.clientWith(hashApiKey(key));
    if (request.apiClient !== undefined || isPublic(this.reflector, context)) return undefined;
    if (!key) return ApiKeyErrors.missing();
    // before the first load no key is known, which is not the client's fault
    return (isLoaded ? ApiKeyErrors.invalid : MasterErrors.unavailable)();
  }
}
