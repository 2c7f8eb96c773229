import { Body, Get, Headers, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { redirectUrl } from '../../hosted-pages/redirect.js';
import { field } from '../../http/fields.js';
import { indiaTime } from '../../http/india-time.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { lockerAadhaarOf, type LockerSession, type LockerWay } from './locker-session.js';
import { LockerService } from './locker.service.js';

const lockerSession = z.object({
  reference: field.reference,
  redirect_url: redirectUrl,
  expected: field.expectedPerson,
});

/** In the sandbox's own format. */
const OURS: LockerWay = {
  provider: 'locker',
  returnQuery: ({ id }, status) => ({ session_id: id, status }),
};

/** The API of the document locker. */
@OutsideApi('providers/locker/sessions')
export class LockerProviderController {
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
  ) {}

  @Post()
  create(@Headers('idempotency-key') key: string | undefined, @Body() body: unknown): object {
    const { reference, redirect_url, expected } = readBody(lockerSession, body);
    const given = { reference, redirectUrl: redirect_url, person: expected, over: OURS };
    return this.presentNew(this.locker.create(given, readIdempotencyKey(key)));
  }

  @Get(':id')
  find(@Param('id') id: string): object {
    const session = this.locker.findById(id);
    if (!session) throw new Refusal(404, 'not_found', 'There is no such session.');
    const status = this.locker.statusOf(session);
    return { ...this.presentNew(session), status, aadhaar: lockerAadhaarOf(session) };
  }

  private presentNew({ id, expiresAt }: LockerSession) {
    const url = this.pages.urlOf(`/locker/${id}`);
    return { session_id: id, url, status: 'CREATED', expires_at: indiaTime(expiresAt) };
  }
}
