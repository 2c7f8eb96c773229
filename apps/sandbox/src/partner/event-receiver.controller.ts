import { Controller, Post, type RawBodyRequest, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { EventReceiver } from './event-receiver.service.js';

/** The address of the sample partner for its events. */
@ApiExcludeController()
@Controller('partner/events')
export class EventReceiverController {
  constructor(private readonly receiver: EventReceiver) {}

  @Post()
  receive(@Req() request: RawBodyRequest<Request>, @Res() response: Response): void {
    this.receiver.receive(request, response);
  }
}
