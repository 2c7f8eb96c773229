import { Body, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { redirectUrl } from '../../hosted-pages/redirect.js';
import { field } from '../../http/fields.js';
import { indiaTime } from '../../http/india-time.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody, readIdempotencyKey } from '../../http/request.js';
import { holderFor } from '../holder.js';
import { EKYC_METHODS, type EkycRequest, type EkycWay } from './ekyc-request.js';
import { EkycService } from './ekyc.service.js';

const MAX_VALID_SECONDS = 1_800;

const ekycRequest = z.object({
  reference: field.reference,
  issuer_code: z.string().min(1).max(100),
  method: z.enum(EKYC_METHODS),
  redirect_url: redirectUrl,
  expected: field.expectedPerson,
  valid_for_seconds: z.int().min(1).max(MAX_VALID_SECONDS).default(MAX_VALID_SECONDS),
});

/** In the sandbox's own format. */
const OURS: EkycWay = { provider: 'ekyc', kind: 'request' };

/** The API of the eKYC provider. */
@OutsideApi('providers/ekyc/requests')
export class EkycProviderController {
  constructor(
    private readonly ekyc: EkycService,
    private readonly pages: HttpsServer,
  ) {}

  @Post()
  create(@Headers('idempotency-key') key: string | undefined, @Body() body: unknown): object {
    const given = readBody(ekycRequest, body);
    const request = this.ekyc.create(
      {
        reference: given.reference,
        issuerCode: given.issuer_code,
        method: given.method,
        redirectUrl: given.redirect_url,
        person: given.expected,
        over: OURS,
        validForSeconds: given.valid_for_seconds,
      },
      readIdempotencyKey(key),
    );
    return this.presentNew(request);
  }

  @Get(':reference')
  find(@Param('reference') reference: string): object {
    return this.present(this.requestOf(reference));
  }

  @Post(':reference/close')
  @HttpCode(200)
  close(@Param('reference') reference: string): object {
    const request = this.requestOf(reference);
    this.ekyc.close(request);
    return this.present(request);
  }

  private requestOf(reference: string): EkycRequest {
    const request = this.ekyc.findByReference(reference);
    if (!request) throw new Refusal(404, 'not_found', 'There is no such request.');
    return request;
  }

  private presentNew({ id, reference, expiresAt }: EkycRequest) {
    const url = this.pages.urlOf(`/ekyc/${id}`);
    return { request_id: id, reference, url, state: 'created', expires_at: indiaTime(expiresAt) };
  }

  private present(request: EkycRequest): object {
    const state = this.ekyc.stateOf(request);
    const failure = state === 'failed' ? 'identity_not_confirmed' : null;
    const { person, phone = null } = request;
    const holder = state === 'verified' ? { ...holderFor(person), phone } : null;
    return { ...this.presentNew(request), state, failure, holder };
  }
}
