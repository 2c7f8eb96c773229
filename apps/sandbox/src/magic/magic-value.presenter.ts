import { ApiProperty } from '@nestjs/swagger';
import { inputOf, MAGIC_INPUTS, type MagicValue } from './magic-value.js';

export class MagicValueView {
  @ApiProperty({ type: String, enum: MAGIC_INPUTS })
  readonly input: string;

  @ApiProperty({
    type: String,
    description: 'Where in the input it stands.',
    example: 'PAN, its four digits',
  })
  readonly what: string;

  @ApiProperty({ type: String, example: '0404' })
  readonly value: string;

  @ApiProperty({ type: String, example: 'The registry does not know the PAN.' })
  readonly effect: string;

  @ApiProperty({ type: String, description: 'A value to try.', example: 'ABCPR0404K' })
  readonly sample: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Who plays it; null: users-service does, by its setting OTP_TEST_RULES.',
    example: 'pan',
  })
  readonly party: string | null;
}

export class MagicValuesView {
  @ApiProperty({ type: [MagicValueView] })
  readonly magic_values: MagicValueView[];
}

export function presentMagicValue(magicValue: MagicValue): MagicValueView {
  const { what, value, effect, sample, plays } = magicValue;
  return { input: inputOf(magicValue), what, value, effect, sample, party: plays?.party ?? null };
}
