import { Body, Get, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OutsideApi } from '../../wire/outside-api.decorator.js';
import { readBody, readIdempotencyKey } from '../../wire/wire-request.js';
import { newLead } from './format-a-requests.js';
import { LeadsService, type LeadView } from './leads.service.js';

/** The part of its API that Sahyadri alone has. */
@OutsideApi('issuers/sahyadri/leads')
export class LeadsController {
  constructor(private readonly leads: LeadsService) {}

  @Post()
  @HttpCode(201)
  open(@Headers('idempotency-key') idempotencyKey: string | undefined, @Body() body: unknown): LeadView {
    const { reference } = readBody(newLead, body);
    return this.leads.open(reference, readIdempotencyKey(idempotencyKey));
  }

  @Get(':id')
  find(@Param('id') id: string): LeadView {
    return this.leads.find(id);
  }

  @Post(':id/kyc-context')
  kycContext(@Param('id') id: string, @Res() response: Response): void {
    const { isNew, view } = this.leads.kycContext(id);
    response.status(isNew ? 201 : 200).json(view);
  }
}
