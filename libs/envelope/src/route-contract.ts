import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { ErrorDefinition } from '@fd/errors';

interface Alternative {
  readonly status: number;
  readonly message?: string;
  /** Class of its payload, if different. */
  readonly payload?: Type;
}

export interface RouteContract {
  readonly status: number;
  /** `statusCode` in the body of a success, where it differs from the HTTP status. */
  readonly bodyStatus: number;
  readonly message: string;
  /** `message` of a 400, where it differs from "Bad Request". */
  readonly badRequestMessage: string;
  /** Whether a 400 for an unreadable request has no items, as published, and its hint in a header. */
  readonly hasBareRefusals: boolean;
  /** Whether the body is sent as it is, without the envelope. */
  readonly isRaw: boolean;
  /** Successes with other statuses, chosen by the handler; their status is also `statusCode` in the body. */
  readonly alternatives: readonly Alternative[];
  /** Whether a missing body counts as an empty object. */
  readonly acceptsEmptyBody: boolean;
  /** Errors of this route, in addition to those of any route. */
  readonly raises: readonly ErrorDefinition[];
}

export const DEFAULT_CONTRACT: RouteContract = {
  status: 200,
  bodyStatus: 200,
  message: 'SUCCESS',
  badRequestMessage: 'Bad Request',
  hasBareRefusals: false,
  isRaw: false,
  acceptsEmptyBody: false,
  alternatives: [],
  raises: [],
};

export const ROUTE_CONTRACT = Symbol('route contract');

export interface Answers extends Partial<Omit<RouteContract, 'isRaw'>> {
  /** Class of the payload, or of the whole body for a raw answer. Without it the payload is an empty object. */
  readonly payload?: Type;
  /** Whether the handler may answer with an `HtmlPage` instead. */
  readonly hasPage?: boolean;
}

/** Declares the enveloped success of a route, for the adapter and for the documentation. */
export function Answers({ payload, hasPage, ...answers }: Answers = {}): MethodDecorator {
  const contract = contractOf(answers);
  const { status, bodyStatus, message, alternatives } = contract;
  return applyDecorators(
    ...declare(contract, payload),
    documentSuccess(status, bodyStatus, message, payload, hasPage),
    ...alternatives.flatMap((other) => [
      ...(other.payload ? [ApiExtraModels(other.payload) as MethodDecorator] : []),
      documentSuccess(other.status, other.status, other.message ?? message, other.payload ?? payload),
    ]),
  );
}

/** Declares a success without the envelope; the only exception from it. */
export function AnswersRaw({
  payload,
  ...answers
}: Omit<Answers, 'bodyStatus' | 'alternatives' | 'hasPage'> = {}): MethodDecorator {
  const contract = contractOf({ ...answers, isRaw: true });
  return applyDecorators(
    ...declare(contract, payload),
    ApiResponse({
      status: contract.status,
      description: 'Sent without the envelope',
      schema: payload ? { $ref: getSchemaPath(payload) } : { type: 'object' },
    }),
  );
}

function contractOf(answers: Partial<RouteContract>): RouteContract {
  const { status = DEFAULT_CONTRACT.status, bodyStatus = status } = answers;
  return { ...DEFAULT_CONTRACT, ...answers, bodyStatus };
}

function declare(contract: RouteContract, payload: Type | undefined): MethodDecorator[] {
  const codes = contract.raises.map(({ code }) => code);
  return [
    SetMetadata(ROUTE_CONTRACT, contract),
    HttpCode(contract.status),
    ApiExtension('x-error-codes', codes),
    ApiExtension('x-bare-refusals', contract.hasBareRefusals),
    ...(payload ? [ApiExtraModels(payload) as MethodDecorator] : []),
  ];
}

function documentSuccess(
  status: number,
  bodyStatus: number,
  message: string,
  payload: Type | undefined,
  hasPage = false,
): MethodDecorator {
  const schema = {
    type: 'object',
    required: ['success', 'statusCode', 'message', 'payload'],
    properties: {
      success: { type: 'integer', enum: [1] },
      statusCode: { type: 'integer', enum: [bodyStatus] },
      message: { type: 'string', enum: [message] },
      payload: payload ? { $ref: getSchemaPath(payload) } : { type: 'object' },
    },
  };
  const content = { 'application/json': { schema }, 'text/html': { schema: { type: 'string' } } };
  return ApiResponse({ status, description: message, ...(hasPage ? { content } : { schema }) });
}
