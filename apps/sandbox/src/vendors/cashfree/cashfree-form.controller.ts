import type { IncomingHttpHeaders } from 'node:http';
import { Body, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { z } from 'zod';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { indiaTime } from '../../http/india-time.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import type { EkycRequest, EkycState } from '../../providers/ekyc/ekyc-request.js';
import { EkycService } from '../../providers/ekyc/ekyc.service.js';
import { KnownPeople } from '../../providers/pan-registry/known-people.service.js';
import { AadhaarReads } from '../aadhaar-reads.service.js';
import { VendorWebhooks } from '../vendor-webhooks.service.js';
import { CASHFREE } from './cashfree-dialect.js';
import { type CashfreeLink, CashfreeLinks } from './cashfree-links.service.js';
import { cashfreeWebhook } from './cashfree-webhook.js';

const request = z.object({
  verification_id: z.string().regex(/^[A-Za-z0-9._-]{1,50}$/),
  phone: z.string().regex(/^[6-9]\d{9}$/),
  template_name: z.string(),
  name: z
    .string()
    .regex(/^[A-Za-z0-9 .-]+$/)
    .optional(),
  email: z.email().optional(),
  link_expiry: z.iso.date(),
  notification_types: z.array(z.enum(['sms', 'email', 'whatsapp'])).optional(),
});

/** The vendor's templates of every account. */
const TEMPLATES = ['Aadhaar_verification'];

const MAX_DAYS = 30;
const DAY_MS = 86_400_000;
/** Lifetime of the vendor's pages in the sandbox. */
const VALID_SECONDS = 30 * 86_400;

const FORM_STATUS: Readonly<Record<EkycState, string>> = {
  created: 'RECEIVED',
  opened: 'PENDING',
  verified: 'SUCCESS',
  failed: 'FAILED',
  expired: 'EXPIRED',
  closed: 'EXPIRED',
};

const AADHAAR_STATUS: Readonly<Record<EkycState, string>> = { ...FORM_STATUS, expired: 'RECEIVED' };

/** The vendor has no event for a failure. */
const EVENTS: Partial<Readonly<Record<EkycState, string>>> = {
  verified: 'KYC_LINK_SUCCESS',
  expired: 'KYC_LINK_EXPIRED',
};
const ACTION = 'KYC_LINK_ACTION_PERFORMED';

/** Cashfree's KYC links. A `verification_id` is accepted once; the caller does not name the expected person. */
@OutsideApi('vendors/cashfree/verification/form', CASHFREE)
export class CashfreeFormController {
  // eslint-disable-next-line max-params -- plays the page, the read and the webhook of one product of the vendor
  constructor(
    private readonly ekyc: EkycService,
    private readonly links: CashfreeLinks,
    private readonly reads: AadhaarReads,
    private readonly pages: HttpsServer,
    private readonly people: KnownPeople,
    private readonly clock: Clock,
    private readonly webhooks: VendorWebhooks,
  ) {}

  @Post()
  @HttpCode(200)
  create(@Body() body: unknown, @Headers() headers: IncomingHttpHeaders): object {
    const given = readBody(request, body);
    const { verification_id: reference, template_name, link_expiry, phone } = given;
    if (!TEMPLATES.includes(template_name))
      throw new Refusal(400, 'Bad request, please check API documentation', 'template name should be valid');
    const today = indiaTime(this.clock.now()).slice(0, 10);
    const days = (Date.parse(link_expiry) - Date.parse(today)) / DAY_MS;
    if (days < 0 || days > MAX_DAYS)
      throw new Refusal(400, 'REQUEST_INVALID', 'Please enter valid expiry date');
    if (this.links.has(reference))
      throw new Refusal(409, 'verification_id_already_exists', 'verification id already exists');
    const made = this.ekyc.create(
      {
        reference,
        issuerCode: 'not known to Cashfree',
        method: 'HOSTED',
        redirectUrl: null,
        person: this.people.last,
        validForSeconds: VALID_SECONDS,
        over: { provider: 'cashfree', kind: 'kyc_link', ended: () => this.announce(link, headers) },
      },
      undefined,
    );
    const link = this.links.add({ request: made, phone, link_expiry });
    this.reads.expect('cashfree', reference);
    return this.present(link);
  }

  @Get()
  find(@Query('verificationID') verificationId?: string, @Query('referenceID') reference = ''): object {
    const link =
      verificationId === undefined
        ? this.links.findBy('reference', reference)
        : this.links.findBy('verification', verificationId);
    if (!link) throw new Refusal(404, 'Resource not found', 'No data found');
    return this.present(link);
  }

  private announce(link: CashfreeLink, headers: IncomingHttpHeaders): void {
    const event = EVENTS[this.ekyc.stateOf(link.request)] ?? ACTION;
    const webhookOf = (name: string) =>
      cashfreeWebhook(name, 'v1', this.present(link), headers, () => this.clock.now());
    const clientId = String(headers['x-client-id']);
    this.webhooks.send(clientId, { happened: webhookOf(event), before: webhookOf(ACTION) }, 0);
  }

  private present({ reference_id, aadhaar_id, phone, link_expiry, request }: CashfreeLink): object {
    const { id, reference }: EkycRequest = request;
    const state = this.ekyc.stateOf(request);
    const isUntouched = state === 'created' || state === 'expired';
    return {
      name: '',
      phone,
      email: '',
      verification_id: reference,
      reference_id,
      link_expiry,
      form_link: this.pages.urlOf(`/ekyc/${id}`),
      form_status: FORM_STATUS[state],
      verification_details: [
        {
          reference_id: isUntouched ? 0 : aadhaar_id,
          type: 'OFFLINE_AADHAAR_VERIFICATION',
          status: AADHAAR_STATUS[state],
        },
      ],
    };
  }
}
