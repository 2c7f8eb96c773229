import { ApiProperty } from '@nestjs/swagger';
import { indiaTime } from '../wire/india-time.js';
import type { Effect } from './effect.js';

export class EffectView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly id: string;

  @ApiProperty({ type: String, example: 'bank' })
  readonly party: string;

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

export class EffectsView {
  @ApiProperty({ type: [EffectView], description: 'Newest first.' })
  readonly effects: EffectView[];
}

export function presentEffect({ id, party, kind, subject, idempotencyKey, calls, at }: Effect): EffectView {
  return { id, party, kind, subject, idempotency_key: idempotencyKey, calls, at: indiaTime(at) };
}
