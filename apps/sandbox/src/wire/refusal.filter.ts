import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { Refusal } from './refusal.js';

/** Refusals as the parties write them. They are other companies' APIs, so ours has no say in their shape. */
@Catch(Refusal)
export class RefusalFilter implements ExceptionFilter<Refusal> {
  catch({ status, type, message, headers }: Refusal, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    response.status(status).set(headers).json({ error: { type, message } });
  }
}
