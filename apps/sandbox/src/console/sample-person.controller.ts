import { randomInt } from 'node:crypto';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { BankChecks } from '../providers/bank/bank-checks.service.js';
import { KnownPeople } from '../providers/pan-registry/known-people.service.js';
import { personOf } from '../providers/pan-registry/person.js';
import { SamplePerson, samplePerson } from './sample-person.js';

@Controller('api/sample-person')
export class SamplePersonController {
  constructor(
    private readonly checks: BankChecks,
    private readonly people: KnownPeople,
  ) {}

  @Get()
  @ApiOperation({
    summary:
      'Returns a new person whose values all succeed, and stores the holder of the account and the date of birth',
  })
  @ApiOkResponse({ type: SamplePerson })
  make(): SamplePerson {
    const person = samplePerson(randomInt);
    // providers whose requests contain no name use the name of the last PAN
    this.checks.name(person.account, personOf(person.pan).full);
    this.people.introduce(person.pan, person.dob);
    return person;
  }
}
