import { BadRequestException, Body, Controller, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { field } from '../../http/fields.js';
import { BankChecks } from './bank-checks.service.js';

class BankHolderBody {
  @ApiProperty({ type: String, example: 'Asha Kumari Rao' })
  readonly name: string;
}

const holder = z.object({ account: field.accountNumber, name: field.personName });

@Controller('api/bank-holders')
export class BankHoldersController {
  constructor(private readonly checks: BankChecks) {}

  @Put(':account')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Sets the holder of an account, for Cashfree and Setu, whose requests contain no name',
  })
  @ApiBody({ type: BankHolderBody })
  @ApiNoContentResponse()
  name(@Param('account') account: string, @Body() body: Partial<BankHolderBody>): void {
    const given = holder.safeParse({ account, name: body.name });
    if (!given.success) throw new BadRequestException('Give an account of 9 to 18 digits, and "name".');
    this.checks.name(given.data.account, given.data.name);
  }
}
