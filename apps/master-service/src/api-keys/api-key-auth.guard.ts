import { randomUUID } from 'node:crypto';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { addToRequestStore } from '@fd/envelope';
import { isPublic } from '@fd/platform';
import passport from 'passport';
import { ApiKeyStrategy } from './api-key.strategy.js';

/**
 * First guard: identifies the client by the ApiKeyStrategy, also on `@Public()` routes, whose calls with a key are counted for its
 * client. Keeps a refusal until the call is counted; the RefusalGuard throws it.
 */
@Injectable()
export class ApiKeyAuthGuard extends AuthGuard() {
  constructor(
    strategy: ApiKeyStrategy,
    private readonly reflector: Reflector,
  ) {
    // a name of its own: the applications of a process, as in tests, share Passport's names
    const name = `apikey ${randomUUID()}`;
    passport.use(name, strategy);
    super({ defaultStrategy: name });
  }

  override handleRequest<User>(
    error: unknown,
    client: User,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    if (error && !isPublic(this.reflector, context)) addToRequestStore({ authenticationRefusal: error });
    return client;
  }
}
