import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from './refusal.js';

/** Asks for a Bearer key and takes any: what is to be tried here is that callers send one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    if (/^bearer +\S+$/i.test(authorization)) return true;
    throw new Refusal(401, 'authentication_failed', 'Send your API key as Authorization: Bearer <key>.', {
      'www-authenticate': 'Bearer',
    });
  }
}
