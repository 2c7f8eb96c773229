import { Headers, HttpCode, Post, type RawBodyRequest, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { type Dialect, OutsideApi } from '../../http/outside-api.decorator.js';
import { invalidRequest, Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { ShortMessages } from '../../providers/sms/short-messages.service.js';

/** A signature of version 4: key, day, region and service, then signed headers and the signature. */
const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=[^/\s]+\/(\d{8})\/[a-z]{2}(?:-[a-z]+)+-\d\/sms-voice\/aws4_request, SignedHeaders=(\S+), Signature=[0-9a-f]{64}$/;

/** Requires a signature whose day is that of the request; the sandbox knows no secrets, so it does not verify it. */
function isSigned({ headers }: Request): boolean {
  const [, day = '', signed = ''] = SIGNATURE.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date'] ?? '');
  return /^\d{8}T\d{6}Z$/.test(time) && time.startsWith(day) && signed.split(';').includes('x-amz-date');
}

/** Exceptions by our types. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  invalid_request: 'ValidationException',
  service_unavailable: 'ServiceUnavailableException',
  internal: 'InternalServerException',
  forbidden: 'AccessDeniedException',
};
const REASONS: Readonly<Record<string, string>> = {
  ValidationException: 'FIELD_VALIDATION_FAILED',
  ServiceQuotaExceededException: 'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
};

const AWS: Dialect = {
  hasKey: isSigned,
  keyMissing: new Refusal(400, 'UnrecognizedClientException', 'The security token is invalid.'),
  statusOf: ({ status }) => (status === 422 ? 400 : status),
  bodyOf: ({ type, message: Message }) => {
    const __type = EXCEPTIONS[type] ?? type;
    const Reason = REASONS[__type];
    return { __type, Message, ...(Reason && { Reason }) };
  },
  walletEmpty: new Refusal(
    400,
    'ServiceQuotaExceededException',
    'The spending limit of the month is reached.',
  ),
};

const TARGET = 'PinpointSMSVoiceV2.SendTextMessage';
const JSON_TYPE = 'application/x-amz-json-1.0';

const message = z.object({
  DestinationPhoneNumber: z.string().regex(/^\+[1-9][0-9]{9,14}$/),
  OriginationIdentity: z.string().min(1),
  MessageBody: z.string().min(1).max(1_600),
  MessageType: z.enum(['TRANSACTIONAL', 'PROMOTIONAL']),
  TimeToLive: z.int().min(5).max(259_200).optional(),
  DestinationCountryParameters: z.object({
    IN_ENTITY_ID: z.string().regex(/^\d{1,50}$/),
    IN_TEMPLATE_ID: z.string().regex(/^\d{1,50}$/),
  }),
  DryRun: z.boolean().optional(),
});

/** AWS End User Messaging SMS, in AWS's JSON protocol 1.0: one address, and the operation in a header. */
@OutsideApi('vendors/aws', AWS)
export class AwsSmsController {
  constructor(private readonly messages: ShortMessages) {}

  @Post()
  @HttpCode(200)
  async call(
    @Headers('x-amz-target') target: string | undefined,
    @Req() request: RawBodyRequest<Request>,
  ): Promise<{ MessageId: string }> {
    if (target !== TARGET) throw new Refusal(400, 'UnknownOperationException', 'Unknown operation');
    const { DestinationPhoneNumber, MessageBody: text, DryRun } = readBody(message, bodyOf(request));
    if (DryRun) return { MessageId: 'dry-run' };
    return { MessageId: await this.messages.deliver('aws', { to: DestinationPhoneNumber.slice(1), text }) };
  }
}

/** @returns the body, whose media type the server does not parse */
function bodyOf({ headers, rawBody }: RawBodyRequest<Request>): unknown {
  if (headers['content-type'] !== JSON_TYPE || !rawBody) throw invalidRequest(`Send ${JSON_TYPE}.`);
  try {
    return JSON.parse(rawBody.toString());
  } catch {
    throw new Refusal(400, 'SerializationException', 'The body is not JSON.');
  }
}
