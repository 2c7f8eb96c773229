import { BadRequestException, Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery } from '@nestjs/swagger';
import { EffectsView, presentEffect } from './effect.presenter.js';
import { Effects } from './effects.service.js';

@Controller('api/effects')
export class EffectsController {
  constructor(private readonly effects: Effects) {}

  @Get()
  @ApiOperation({
    summary:
      'What the outside world did because it was asked to: one entry for each effect, not for each call',
  })
  @ApiQuery({ name: 'party', required: false, schema: { type: 'string' }, example: 'bank' })
  @ApiQuery({ name: 'subject', required: false, schema: { type: 'string' }, example: '50100012345678' })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1 },
    description: 'Of the newest; without it all that are kept.',
  })
  @ApiOkResponse({ type: EffectsView })
  list(
    @Query('party') party: unknown,
    @Query('subject') subject: unknown,
    @Query('limit') limit: unknown,
  ): EffectsView {
    const wanted = { ...given('party', party), ...given('subject', subject) };
    return { effects: this.effects.list(wanted).slice(0, limitOf(limit)).map(presentEffect) };
  }
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
