import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { SmsRefusal } from './sms-refusal.js';

/** Refusals as these providers write them. They are another company's API, so ours has no say in their shape. */
@Catch(SmsRefusal)
export class SmsRefusalFilter implements ExceptionFilter<SmsRefusal> {
  catch({ status, type, message }: SmsRefusal, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    response.status(status).json({ error: { type, message } });
  }
}
