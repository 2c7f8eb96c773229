import { randomInt } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { SamplePerson, samplePerson } from './sample-person.js';

@Controller('api/sample-person')
export class SamplePersonController {
  @Get()
  @ApiOperation({ summary: 'A new person whose values all succeed; nothing of it is kept' })
  @ApiOkResponse({ type: SamplePerson })
  make(): SamplePerson {
    return samplePerson(randomInt);
  }
}
