import { Body, Get, Headers, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { HttpsServer } from '../hosted-pages/https-server.service.js';
import { redirectUrl } from '../hosted-pages/redirect.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { Refusal } from '../wire/refusal.js';
import { wireField } from '../wire/wire-fields.js';
import { readBody, readIdempotencyKey } from '../wire/wire-request.js';
import type { LockerSession } from './locker-session.js';
import { newSessionOnWire, sessionOnWire } from './locker-wire.presenter.js';
import { LockerService } from './locker.service.js';

const lockerSession = z.object({
  reference: wireField.reference,
  redirect_url: redirectUrl.nullable().default(null),
  expected: z.object({ name: wireField.personName, date_of_birth: wireField.date }).nullable().default(null),
});

/** The API of the document locker. */
@OutsideApi('providers/locker/sessions')
export class LockerProviderController {
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
  ) {}

  @Post()
  create(@Headers('idempotency-key') idempotencyKey: string | undefined, @Body() body: unknown): object {
    const { reference, redirect_url, expected } = readBody(lockerSession, body);
    return this.locker.create(
      {
        reference,
        redirectUrl: redirect_url,
        expected: expected && { name: expected.name, dateOfBirth: expected.date_of_birth },
      },
      readIdempotencyKey(idempotencyKey),
      (session) => newSessionOnWire(session, this.urlOf(session)),
    );
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    const session = this.locker.find(id);
    if (!session) throw new Refusal(404, 'not_found', 'There is no such session.');
    return sessionOnWire(session, this.locker.statusOf(session), this.urlOf(session));
  }

  private urlOf({ id }: LockerSession): string {
    return this.pages.urlOf(`/locker/${id}`);
  }
}
