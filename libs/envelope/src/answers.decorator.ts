import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { DEFAULT_CONTRACT, ROUTE_CONTRACT, type RouteContract } from './route-contract.js';

export interface Answers extends Partial<Omit<RouteContract, 'isRaw' | 'raises'>> {
  /** Class of the payload, or of the whole body for a raw answer. Without it the payload is an empty object. */
  readonly payload?: Type;
  readonly raises?: RouteContract['raises'];
}

/** Declares the enveloped success of a route, for the adapter and for the documentation. */
export function Answers(answers: Answers = {}): MethodDecorator {
  const contract = contractOf(answers, false);
  return applyDecorators(
    ...declare(contract, answers.payload),
    documentSuccess(contract, answers.payload),
    ...contract.alternatives.map(({ status, message = contract.message }) =>
      documentSuccess({ status, bodyStatus: status, message }, answers.payload),
    ),
  );
}

function documentSuccess(
  { status, bodyStatus, message }: Pick<RouteContract, 'status' | 'bodyStatus' | 'message'>,
  payload: Type | undefined,
): MethodDecorator {
  return ApiResponse({
    status,
    description: message,
    schema: {
      type: 'object',
      required: ['success', 'statusCode', 'message', 'payload'],
      additionalProperties: false,
      properties: {
        success: { type: 'integer', enum: [1] },
        statusCode: { type: 'integer', enum: [bodyStatus] },
        message: { type: 'string', enum: [message] },
        payload: payload ? { $ref: getSchemaPath(payload) } : { type: 'object' },
      },
    },
  });
}

/** Declares a success that is sent without the envelope: the only way around it. */
export function AnswersRaw(answers: Omit<Answers, 'bodyStatus' | 'alternatives'> = {}): MethodDecorator {
  const contract = contractOf(answers, true);
  return applyDecorators(
    ...declare(contract, answers.payload),
    ApiResponse({
      status: contract.status,
      description: 'Sent without the envelope',
      schema: answers.payload ? { $ref: getSchemaPath(answers.payload) } : { type: 'object' },
    }),
  );
}

function contractOf({ payload: _, ...answers }: Answers, isRaw: boolean): RouteContract {
  return {
    ...DEFAULT_CONTRACT,
    ...answers,
    bodyStatus: answers.bodyStatus ?? answers.status ?? DEFAULT_CONTRACT.bodyStatus,
    isRaw,
  };
}

function declare(contract: RouteContract, payload: Type | undefined): MethodDecorator[] {
  return [
    SetMetadata(ROUTE_CONTRACT, contract),
    HttpCode(contract.status),
    ApiExtension(
      'x-error-codes',
      contract.raises.map(({ code }) => code),
    ),
    ...(payload ? [ApiExtraModels(payload) as MethodDecorator] : []),
  ];
}
