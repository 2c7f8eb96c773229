import { Body, Headers, HttpCode, Post } from '@nestjs/common';
import { isAadhaar } from '@fd/contracts';
import { z } from 'zod';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { throwIfFault } from '../../http/faults.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import type { AadhaarResult } from './aadhaar-transaction.js';
import { AadhaarService, type OtpSent } from './aadhaar.service.js';

const otpRequest = z.object({
  aadhaar_number: z.string().regex(/^[0-9]{12}$/, 'must be 12 digits'),
  consent: z.literal(true),
});

const otpVerification = z.object({
  transaction_id: field.reference,
  otp: z.string().regex(/^[0-9]{6}$/, 'must be 6 digits'),
  expected: field.expectedPerson,
});

@OutsideApi('providers/aadhaar/otp')
export class AadhaarController {
  constructor(private readonly aadhaar: AadhaarService) {}

  @Post()
  @HttpCode(200)
  send(@Headers('idempotency-key') key: string | undefined, @Body() body: unknown): OtpSent {
    const { aadhaar_number: number } = readBody(otpRequest, body);
    const idempotencyKey = readIdempotencyKey(key);
    if (!isAadhaar(number)) {
      throw new Refusal(422, 'invalid_aadhaar', 'The Aadhaar number is not valid.');
    }
    const behaviour = throwIfFault(behaviourOf('aadhaar', 'aadhaar', number));
    return this.aadhaar.sendOtp(number, behaviour, idempotencyKey);
  }

  @Post('verify')
  @HttpCode(200)
  verify(@Body() body: unknown): AadhaarResult {
    const { transaction_id: id, otp, expected } = readBody(otpVerification, body);
    return this.aadhaar.verifyOtp(id, otp, expected);
  }
}
