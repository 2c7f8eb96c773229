import { Body, Headers, HttpCode, Post, Res } from '@nestjs/common';
import { isAadhaar } from '@fd/contracts';
import type { Response } from 'express';
import { z } from 'zod';
import { isTrouble } from '../magic/magic-value.js';
import { behaviourOf } from '../magic/magic-values.table.js';
import { Behaviours } from '../wire/behaviours.service.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { Refusal } from '../wire/refusal.js';
import { wireField } from '../wire/wire-fields.js';
import { readBody, readIdempotencyKey } from '../wire/wire-request.js';
import type { AadhaarResult } from './aadhaar-transaction.js';
import { AadhaarService } from './aadhaar.service.js';

const otpRequest = z.object({
  aadhaar_number: z.string().regex(/^[0-9]{12}$/, 'must be 12 digits'),
  consent: z.literal(true),
});

const otpVerification = z.object({
  transaction_id: wireField.reference,
  otp: z.string().regex(/^[0-9]{6}$/, 'must be 6 digits'),
  expected: z.object({ name: wireField.personName, date_of_birth: wireField.date }).nullable().default(null),
});

@OutsideApi('providers/aadhaar')
export class AadhaarController {
  constructor(
    private readonly aadhaar: AadhaarService,
    private readonly behaviours: Behaviours,
  ) {}

  @Post('otp')
  send(
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Body() body: unknown,
    @Res() response: Response,
  ): void {
    const { aadhaar_number: number } = readBody(otpRequest, body);
    const key = readIdempotencyKey(idempotencyKey);
    if (!isAadhaar(number)) {
      throw new Refusal(422, 'invalid_aadhaar', 'There can be no such Aadhaar number.');
    }
    const behaviour = behaviourOf('aadhaar', 'aadhaar', number);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    response.status(200).json(this.aadhaar.sendOtp(number, behaviour, key));
  }

  @Post('otp/verify')
  @HttpCode(200)
  verify(@Body() body: unknown): AadhaarResult {
    const { transaction_id: id, otp } = readBody(otpVerification, body);
    return this.aadhaar.verifyOtp(id, otp);
  }
}
