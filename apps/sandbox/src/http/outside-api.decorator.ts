import {
  applyDecorators,
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Refusal } from './refusal.js';
import { SilentCalls } from './silent-calls.service.js';
import { OddAnswer } from './trouble.js';

/**
 * A controller that plays another company's API: requires a key, refuses in that company's style, and is missing in
 * our document, since the API is not ours.
 */
export const OutsideApi = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    UseGuards(ApiKeyGuard),
    UseFilters(OutsideApiFilter),
    Controller(path),
  );

/** Requires a Bearer key and accepts any: what is tested here is that callers send one. */
@Injectable()
class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    if (/^bearer +\S+$/i.test(authorization)) return true;
    throw new Refusal(401, 'authentication_failed', 'Send your API key as Authorization: Bearer <key>.', {
      'www-authenticate': 'Bearer',
    });
  }
}

/** Answers as the other companies do, whose APIs owe nothing to our envelope. */
@Catch(Refusal, OddAnswer)
class OutsideApiFilter implements ExceptionFilter<Refusal | OddAnswer> {
  constructor(private readonly silentCalls: SilentCalls) {}

  catch(thrown: Refusal | OddAnswer, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof Refusal) {
      const { status, type, message, headers } = thrown;
      response.status(status).set(headers).json({ error: { type, message } });
    } else if (thrown.kind === 'garbled') {
      response.status(200).type('html').send('<h1>Welcome</h1>');
    } else {
      this.silentCalls.hold(response);
    }
  }
}
