import { BadRequestException, Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { indiaTime } from '../http/india-time.js';
import { type Effect, Effects } from './effects.service.js';

class EffectView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly id: string;

  @ApiProperty({ type: String, example: 'bank' })
  readonly provider: string;

  @ApiProperty({ type: String, example: 'penny_drop' })
  readonly kind: string;

  @ApiProperty({ type: String, example: '50100012345678' })
  readonly subject: string;

  @ApiProperty({ type: String, nullable: true })
  readonly idempotency_key: string | null;

  @ApiProperty({ type: Number, description: 'Calls that carried its key: 1 when it was never repeated.' })
  readonly calls: number;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly at: string;
}

class EffectsView {
  @ApiProperty({ type: [EffectView], description: 'Newest first.' })
  readonly effects: EffectView[];
}

@Controller('api/effects')
export class EffectsController {
  constructor(private readonly effects: Effects) {}

  @Get()
  @ApiOperation({
    summary: 'What providers and issuers did on request: one entry for each effect, not for each call',
  })
  @ApiQuery({ name: 'provider', required: false, schema: { type: 'string' }, example: 'bank' })
  @ApiQuery({ name: 'subject', required: false, schema: { type: 'string' }, example: '50100012345678' })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1 },
    description: 'Number of the newest effects. Defaults to all that are stored.',
  })
  @ApiOkResponse({ type: EffectsView })
  list(
    @Query('provider') provider: unknown,
    @Query('subject') subject: unknown,
    @Query('limit') limit: unknown,
  ): EffectsView {
    const filter = { ...given('provider', provider), ...given('subject', subject) };
    return { effects: this.effects.list(filter).slice(0, limitOf(limit)).map(present) };
  }
}

function present({ id, provider, kind, subject, idempotencyKey, calls, at }: Effect): EffectView {
  return { id, provider, kind, subject, idempotency_key: idempotencyKey, calls, at: indiaTime(at) };
}

function limitOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new BadRequestException('Give "limit" as a whole number from 1.');
}

function given(name: string, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value !== 'string') throw new BadRequestException(`Give "${name}" once.`);
  return { [name]: value };
}
