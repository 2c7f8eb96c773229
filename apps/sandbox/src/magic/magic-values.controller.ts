import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { MAGIC_INPUTS, type MagicValue } from './magic-value.js';
import { MAGIC_VALUES } from './magic-values.table.js';

class MagicValueView {
  @ApiProperty({ type: String, enum: MAGIC_INPUTS })
  readonly input: string;

  @ApiProperty({ type: String, description: 'The part of the input.', example: 'PAN, its four digits' })
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
  readonly provider: string | null;
}

class MagicValuesView {
  @ApiProperty({ type: [MagicValueView] })
  readonly magic_values: MagicValueView[];
}

@Controller('api/magic-values')
export class MagicValuesController {
  @Get()
  @ApiOperation({ summary: 'Inputs with another effect than success' })
  @ApiOkResponse({ type: MagicValuesView })
  list(): MagicValuesView {
    return { magic_values: MAGIC_VALUES.map(present) };
  }
}

function present({ input, what, value, effect, sample, provider }: MagicValue): MagicValueView {
  return { input, what, value, effect, sample, provider };
}
