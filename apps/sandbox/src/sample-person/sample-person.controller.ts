import { randomInt } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { type SamplePerson, samplePerson } from './sample-person.js';

export class SamplePersonView implements SamplePerson {
  @ApiProperty({ type: String, example: '919812345678' })
  readonly phone: string;

  @ApiProperty({ type: String, example: 'ABCPR1234K' })
  readonly pan: string;

  @ApiProperty({ type: String, format: 'date', example: '1990-04-21' })
  readonly dob: string;

  @ApiProperty({ type: String, format: 'email' })
  readonly email: string;

  @ApiProperty({ type: String, description: 'With its check digit.', example: '234567812346' })
  readonly aadhaar: string;

  @ApiProperty({ type: String, example: '501000123456' })
  readonly account: string;

  @ApiProperty({ type: String, example: 'HDFC0001234' })
  readonly ifsc: string;
}

@Controller('api/sample-person')
export class SamplePersonController {
  @Get()
  @ApiOperation({ summary: 'Somebody new, whose values all simply succeed; nothing of it is kept' })
  @ApiOkResponse({ type: SamplePersonView })
  make(): SamplePersonView {
    return samplePerson(randomInt);
  }
}
