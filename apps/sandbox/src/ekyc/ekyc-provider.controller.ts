import { Body, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { HttpsServer } from '../hosted-pages/https-server.service.js';
import { redirectUrl } from '../hosted-pages/redirect.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { Refusal } from '../wire/refusal.js';
import { wireField } from '../wire/wire-fields.js';
import { readBody, readIdempotencyKey } from '../wire/wire-request.js';
import { EKYC_METHODS, type EkycRequest } from './ekyc-request.js';
import { newRequestOnWire, requestOnWire } from './ekyc-wire.presenter.js';
import { EkycService } from './ekyc.service.js';

const MAX_VALID_SECONDS = 1_800;

const ekycRequest = z.object({
  reference: wireField.reference,
  issuer_code: z.string().min(1).max(100),
  method: z.enum(EKYC_METHODS),
  redirect_url: redirectUrl.nullable().default(null),
  expected: z.object({ name: wireField.personName, date_of_birth: wireField.date }).nullable().default(null),
  valid_for_seconds: z.int().min(1).max(MAX_VALID_SECONDS).default(MAX_VALID_SECONDS),
});

/** The API of the eKYC provider. */
@OutsideApi('providers/ekyc/requests')
export class EkycProviderController {
  constructor(
    private readonly ekyc: EkycService,
    private readonly pages: HttpsServer,
  ) {}

  @Post()
  create(@Headers('idempotency-key') idempotencyKey: string | undefined, @Body() body: unknown): object {
    const wanted = readBody(ekycRequest, body);
    return this.ekyc.create(
      {
        reference: wanted.reference,
        issuerCode: wanted.issuer_code,
        method: wanted.method,
        redirectUrl: wanted.redirect_url,
        validForSeconds: wanted.valid_for_seconds,
      },
      readIdempotencyKey(idempotencyKey),
      (request) => newRequestOnWire(request, this.urlOf(request)),
    );
  }

  @Get(':reference')
  find(@Param('reference') reference: string): object {
    return this.tell(this.requestOf(reference));
  }

  @Post(':reference/close')
  @HttpCode(200)
  close(@Param('reference') reference: string): object {
    const request = this.requestOf(reference);
    this.ekyc.close(request);
    return this.tell(request);
  }

  private tell(request: EkycRequest): object {
    return requestOnWire(request, this.ekyc.stateOf(request), this.urlOf(request));
  }

  private requestOf(reference: string): EkycRequest {
    const request = this.ekyc.find(reference);
    if (!request) throw new Refusal(404, 'not_found', 'There is no such request.');
    return request;
  }

  private urlOf({ id }: EkycRequest): string {
    return this.pages.urlOf(`/ekyc/${id}`);
  }
}
