import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { addToRequestStore, type RequestStore, requestStore } from '@fd/envelope';
import { EventErrors } from '@fd/errors';
import type { Request } from 'express';
import { BackendKeysRepository } from './backend-keys.repository.js';

interface BackendStore extends RequestStore {
  readonly backendOf?: string;
}

/** Identifies the partner of a backend by its key: `Authorization: Bearer`. A session of the browser opens nothing here. */
@Injectable()
export class BackendKeyGuard implements CanActivate {
  constructor(private readonly keys: BackendKeysRepository) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { headers } = context.switchToHttp().getRequest<Request>();
    const key = /^Bearer +(\S{1,200})$/i.exec(headers.authorization ?? '')?.[1];
    const backendOf = key && (await this.keys.partnerOf(key));
    if (!backendOf) throw EventErrors.keyInvalid();
    addToRequestStore<BackendStore>({ backendOf });
    return true;
  }
}

/** Injects the id of the partner whose backend calls. */
export const CallingPartner = createParamDecorator((): string => {
  const partnerId = requestStore<BackendStore>()?.backendOf;
  if (partnerId === undefined) throw new Error('CallingPartner without BackendKeyGuard');
  return partnerId;
});
