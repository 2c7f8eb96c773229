import { BadRequestException, Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';
import { indiaTime } from '../http/india-time.js';
import { type RecordedCall, Wire } from './wire.store.js';

class WireCallView {
  @ApiProperty({ type: String, format: 'uuid', description: 'Ordered by the end of the call.' })
  readonly id: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly at: string;

  @ApiProperty({ type: String, enum: ['call', 'webhook'], description: 'The sandbox sends webhooks.' })
  readonly kind: string;

  @ApiProperty({ type: String, example: 'msg91' })
  readonly provider: string;

  @ApiProperty({ type: String, example: 'POST' })
  readonly method: string;

  @ApiProperty({
    type: String,
    description: 'With its query; the whole URL of a webhook.',
    example: '/vendors/msg91/api/v5/flow',
  })
  readonly path: string;

  @ApiProperty({ type: Number, nullable: true, description: 'Null: no answer.', example: 200 })
  readonly status: number | null;

  @ApiProperty({ type: Number, example: 12 })
  readonly duration_ms: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Credentials are replaced by ***.',
    example: { authkey: '***', 'content-type': 'application/json' },
  })
  readonly request_headers: Readonly<Record<string, string>>;

  @ApiProperty({ type: String, description: 'As it was sent, without credentials.' })
  readonly request_body: string;

  @ApiProperty({ type: String, description: 'As it was sent, without credentials.' })
  readonly response_body: string;
}

class WireView {
  @ApiProperty({ type: [WireCallView], description: 'Newest first.' })
  readonly calls: WireCallView[];
}

const filter = z.object({ provider: z.string().optional(), after: z.uuid().optional() });

@Controller('api/wire')
export class WireController {
  constructor(private readonly wire: Wire) {}

  @Get()
  @ApiOperation({
    summary: 'Calls to providers and issuers with their answers, and their webhooks',
  })
  @ApiQuery({ name: 'provider', required: false, schema: { type: 'string' }, example: 'msg91' })
  @ApiQuery({
    name: 'after',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: 'The id of a call: only those that ended after it.',
  })
  @ApiOkResponse({ type: WireView })
  list(@Query() query: unknown): WireView {
    const given = filter.safeParse(query);
    if (!given.success)
      throw new BadRequestException('Give "provider" once, and "after" as the id of a call.');
    return { calls: this.wire.list(given.data).map(present) };
  }
}

function present({ id, at, kind, provider, method, path, status, ...call }: RecordedCall): WireCallView {
  return {
    id,
    at: indiaTime(at),
    kind,
    provider,
    method,
    path,
    status,
    duration_ms: call.durationMs,
    request_headers: call.requestHeaders,
    request_body: call.requestBody,
    response_body: call.responseBody,
  };
}
