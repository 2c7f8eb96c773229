import { Body, Get, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { type Dialect, OutsideApi } from '../../http/outside-api.decorator.js';
import { plantedFault } from '../../http/planted-faults.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { ShortMessages } from '../../providers/sms/short-messages.service.js';

/** Codes of Twilio's error dictionary by our types. */
const CODES: Readonly<Record<string, number>> = {
  authentication_failed: 20003,
  invalid_request: 21211,
  service_unavailable: 20503,
  internal: 20500,
};

/** Twilio's numbers for test credentials, by their end, and their error codes. Others are treated like real ones. */
const TEST_NUMBERS = /^\+1500555(000\d)$/;
const TO_TEST_NUMBER: Readonly<Record<string, number>> = {
  '0001': 21211,
  '0002': 21612,
  '0003': 21408,
  '0004': 21610,
  '0009': 21614,
};
const FROM_TEST_NUMBER: Readonly<Record<string, number>> = { '0001': 21212, '0007': 21606, '0008': 21611 };

const statusOf = ({ status }: Refusal): number => (status === 422 ? 400 : status);

const TWILIO: Dialect = {
  hasKey: ({ headers }) => /^basic +\S+$/i.test(headers.authorization ?? ''),
  keyMissing: new Refusal(401, 'authentication_failed', 'Authenticate'),
  statusOf,
  bodyOf: (refusal) => {
    const code = CODES[refusal.type] ?? (Number(refusal.type) || 20001);
    const { message } = refusal;
    return {
      code,
      message,
      more_info: `https://www.twilio.com/docs/errors/${code}`,
      status: statusOf(refusal),
    };
  },
};

const messageRequest = z
  .object({
    To: z.string().regex(/^\+[1-9][0-9]{9,14}$/),
    Body: z.string().min(1).max(1_600),
    From: z.string().min(1).optional(),
    MessagingServiceSid: z.string().min(1).optional(),
    ValidityPeriod: z.coerce.number().int().min(1).max(36_000).optional(),
  })
  .refine(({ From, MessagingServiceSid }) => From !== undefined || MessagingServiceSid !== undefined);

/** Twilio's Messages resource, with forms as requests and JSON as answers. */
@OutsideApi('vendors/twilio/2010-04-01/Accounts/:accountSid', TWILIO)
export class TwilioController {
  constructor(private readonly messages: ShortMessages) {}

  @Get('Balance.json')
  balance(@Param('accountSid') account_sid: string, @Req() request: Request): object {
    const balance = plantedFault(request) === 'no-money' ? '-0.15' : '41.20';
    return { account_sid, balance, currency: 'USD' };
  }

  @Post('Messages.json')
  async send(@Param('accountSid') accountSid: string, @Body() body: unknown): Promise<object> {
    const { To, From = '', Body: text } = readBody(messageRequest, body);
    refuseTestNumber(To, TO_TEST_NUMBER);
    refuseTestNumber(From, FROM_TEST_NUMBER);
    const id = await this.messages.deliver('twilio', { to: To.slice(1), text });
    return {
      sid: `SM${id.replaceAll('-', '')}`,
      account_sid: accountSid,
      to: To,
      status: 'queued',
      error_code: null,
      error_message: null,
    };
  }
}

/** Every service but this one belongs to the account. */
const UNKNOWN_SERVICE = `MG${'0'.repeat(32)}`;

/** Twilio's messaging services, which have a host of their own. */
@OutsideApi('vendors/twilio/v1/Services', TWILIO)
export class TwilioServicesController {
  @Get(':sid')
  find(@Param('sid') sid: string): object {
    if (sid === UNKNOWN_SERVICE) throw new Refusal(404, '20404', `The resource ${sid} was not found`);
    return { sid, friendly_name: 'Deposits' };
  }
}

function refuseTestNumber(number: string, codes: Readonly<Record<string, number>>): void {
  const code = codes[TEST_NUMBERS.exec(number)?.[1] ?? ''];
  if (code !== undefined)
    throw new Refusal(400, String(code), 'The number is refused with test credentials.');
}
