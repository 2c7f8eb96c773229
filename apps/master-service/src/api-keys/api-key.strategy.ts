import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ApiKeyErrors, MasterErrors } from '@fd/errors';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import type { ApiClient } from '../catalogue/catalogue.repository.js';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { hashApiKey } from './api-key.js';

declare global {
  namespace Express {
    /** Passport's `request.user`: the client of the key; undefined without a valid key. */
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with Passport's declaration
    interface User extends ApiClient {}
  }
}

/** Identifies the client of a request by its header `apikey`. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(Strategy, 'apikey') {
  constructor(private readonly snapshot: CatalogueSnapshot) {
    super();
  }

  /** @throws ApiKeyErrors.missing, ApiKeyErrors.invalid, or MasterErrors.unavailable before the catalogue is loaded */
  validate({ headers }: Request): ApiClient {
    const { apikey } = headers;
    if (!apikey) throw ApiKeyErrors.missing();
    // before the first load no key is known, which is not the client's fault
    if (!this.snapshot.isLoaded) throw MasterErrors.unavailable();
    const client = typeof apikey === 'string' ? this.snapshot.clientWith(hashApiKey(apikey)) : undefined;
    if (!client) throw ApiKeyErrors.invalid();
    return client;
  }
}
