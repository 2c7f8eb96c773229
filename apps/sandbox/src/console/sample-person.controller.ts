import { randomInt } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { BankChecks } from '../providers/bank/bank-checks.service.js';
import { personOf } from '../providers/pan-registry/person.js';
import { SamplePerson, samplePerson } from './sample-person.js';

@Controller('api/sample-person')
export class SamplePersonController {
  constructor(private readonly checks: BankChecks) {}

  @Get()
  @ApiOperation({ summary: 'A new person whose values all succeed; only whose the account is, is kept' })
  @ApiOkResponse({ type: SamplePerson })
  make(): SamplePerson {
    const person = samplePerson(randomInt);
    // providers that are not told a name know it by the PAN's
    this.checks.name(person.account, personOf(person.pan).full);
    return person;
  }
}
