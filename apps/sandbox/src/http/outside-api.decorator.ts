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
import { Reflector } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { answerAs, plantedFault, XML_ANSWER } from './planted-faults.js';
import { Refusal } from './refusal.js';
import { SilentCalls } from './silent-calls.service.js';
import { OddAnswer } from './faults.js';

/** How a company's API requires a key, and refuses. */
export interface Dialect {
  /** Accepts any key in the form that the company requires. */
  readonly hasKey: (request: Request) => boolean;
  readonly keyMissing: Refusal;
  readonly statusOf: (refusal: Refusal) => number;
  readonly bodyOf: (refusal: Refusal) => object;
  /** Its refusals of the caller's address and of an empty account; without these only the status. */
  readonly addressRefused?: Refusal;
  readonly walletEmpty?: Refusal;
}

/** The style of invented companies. */
const OF_OURS: Dialect = {
  hasKey: ({ headers }) => /^bearer +\S+$/i.test(headers.authorization ?? ''),
  keyMissing: new Refusal(401, 'authentication_failed', 'Send your API key as Authorization: Bearer <key>.', {
    'www-authenticate': 'Bearer',
  }),
  statusOf: ({ status }) => status,
  bodyOf: ({ type, message }) => ({ error: { type, message } }),
};

const SpokenDialect = Reflector.createDecorator<Dialect>();

/**
 * A controller that plays another company's API: requires a key, refuses in that company's style, and is missing in
 * our document, since the API is not ours.
 */
export const OutsideApi = (path: string, dialect = OF_OURS): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    SpokenDialect(dialect),
    UseGuards(ApiKeyGuard),
    UseFilters(OutsideApiFilter),
    Controller(path),
  );

@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const dialect = this.reflector.get(SpokenDialect, context.getClass());
    const request = context.switchToHttp().getRequest<Request>();
    request.res!.locals['dialect'] = dialect;
    if (!dialect.hasKey(request)) throw dialect.keyMissing;
    const fault = plantedFault(request);
    if (fault) answerAs(fault, dialect, request.res!);
    return true;
  }
}

/** Answers in the style of the companies, without our envelope. */
@Catch(Refusal, OddAnswer)
class OutsideApiFilter implements ExceptionFilter<Refusal | OddAnswer> {
  constructor(private readonly silentCalls: SilentCalls) {}

  catch(thrown: Refusal | OddAnswer, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof Refusal) {
      const dialect = (response.locals['dialect'] as Dialect | undefined) ?? OF_OURS;
      response.status(dialect.statusOf(thrown)).set(thrown.headers).json(dialect.bodyOf(thrown));
    } else if (thrown.kind === 'garbled') {
      response.status(200).type('html').send('<h1>Welcome</h1>');
    } else if (thrown.kind === 'xml') {
      response.status(200).type('xml').send(XML_ANSWER);
    } else {
      this.silentCalls.hold(response);
    }
  }
}
