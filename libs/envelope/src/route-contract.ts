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

/** Declares the success of a route, for the adapter and for the documentation. */
export function Answers({ payload, hasPage, ...answers }: Answers = {}): MethodDecorator {
  return declare({ ...answers, isRaw: false }, payload, hasPage);
}

/** Declares a success without the envelope; the only exception from it. */
export function AnswersRaw({
  payload,
  ...answers
}: Omit<Answers, 'bodyStatus' | 'alternatives' | 'hasPage'> = {}) {
  return declare({ ...answers, isRaw: true }, payload);
}

function declare(
  { status = DEFAULT_CONTRACT.status, bodyStatus = status, ...answers }: Partial<RouteContract>,
  payload: Type | undefined,
  hasPage = false,
): MethodDecorator {
  const contract = { ...DEFAULT_CONTRACT, ...answers, status, bodyStatus };
  const { message, alternatives, raises, isRaw, hasBareRefusals } = contract;
  const codes = raises.map(({ code }) => code);
  const documented = (success: Alternative, inBody: number): MethodDecorator[] => {
    const body = success.payload ? { $ref: getSchemaPath(success.payload) } : { type: 'object' };
    const description = success.message ?? message;
    const schema = isRaw ? body : enveloped(inBody, description, body);
    const content = { 'application/json': { schema }, 'text/html': { schema: { type: 'string' } } };
    return [
      ...(success.payload ? [ApiExtraModels(success.payload) as MethodDecorator] : []),
      ApiResponse({
        status: success.status,
        description: isRaw ? 'Sent without the envelope' : description,
        ...(hasPage && success.status === status ? { content } : { schema }),
      }),
    ];
  };
  return applyDecorators(
    SetMetadata(ROUTE_CONTRACT, contract),
    HttpCode(status),
    ApiExtension('x-error-codes', codes),
    ApiExtension('x-bare-refusals', hasBareRefusals),
    ...documented({ status, ...(payload && { payload }) }, bodyStatus),
    ...alternatives.flatMap((other) => documented({ ...(payload && { payload }), ...other }, other.status)),
  );
}

const enveloped = (statusCode: number, message: string, payload: object) => ({
  type: 'object',
  required: ['success', 'statusCode', 'message', 'payload'],
  properties: {
    success: { type: 'integer', enum: [1] },
    statusCode: { type: 'integer', enum: [statusCode] },
    message: { type: 'string', enum: [message] },
    payload,
  },
});
