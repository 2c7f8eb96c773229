import type { IncomingHttpHeaders } from 'node:http';
import { Body, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { z } from 'zod';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import {
  lockerAadhaarOf,
  type LockerSession,
  lastFourOf,
  type LockerStatus,
} from '../../providers/locker/locker-session.js';
import { LockerService } from '../../providers/locker/locker.service.js';
import { type Holder, holderFor } from '../../providers/holder.js';
import { KnownPeople } from '../../providers/pan-registry/known-people.service.js';
import { AadhaarReads } from '../aadhaar-reads.service.js';
import { VendorWebhooks } from '../vendor-webhooks.service.js';
import { CASHFREE } from './cashfree-dialect.js';
import { CashfreeLinks } from './cashfree-links.service.js';
import { cashfreeWebhook } from './cashfree-webhook.js';

const request = z.object({
  verification_id: z.string().regex(/^[A-Za-z0-9._-]{1,50}$/),
  document_requested: z.array(z.enum(['AADHAAR', 'PAN', 'DRIVING_LICENSE'])).min(1),
  redirect_url: z.url({ protocol: /^https$/ }),
  user_flow: z.enum(['signin', 'signup']).optional(),
});

const STATUS: Readonly<Record<LockerStatus, string>> = {
  CREATED: 'PENDING',
  AUTHORISED: 'AUTHENTICATED',
  DENIED: 'CONSENT_DENIED',
  EXPIRED: 'EXPIRED',
};

const EVENTS: Readonly<Record<LockerStatus, string>> = {
  CREATED: 'DIGILOCKER_VERIFICATION_FAILURE',
  AUTHORISED: 'DIGILOCKER_VERIFICATION_SUCCESS',
  DENIED: 'DIGILOCKER_VERIFICATION_CONSENT_DENIED',
  EXPIRED: 'DIGILOCKER_VERIFICATION_LINK_EXPIRED',
};

interface Verification {
  readonly reference_id: number;
  readonly session: LockerSession;
}

/** Cashfree's DigiLocker. It gets no name; a `verification_id` is accepted once. */
@OutsideApi('vendors/cashfree/verification/digilocker', CASHFREE)
export class CashfreeLockerController {
  private readonly verifications = new BoundedMap<string, Verification>();
  private lastReference = 7_000;

  // eslint-disable-next-line max-params -- plays the page, the read and the webhook of one product of the vendor
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
    private readonly reads: AadhaarReads,
    private readonly people: KnownPeople,
    private readonly links: CashfreeLinks,
    private readonly webhooks: VendorWebhooks,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  begin(@Body() body: unknown, @Headers() headers: IncomingHttpHeaders): object {
    const { verification_id, redirect_url } = readBody(request, body);
    if (this.verifications.has(verification_id))
      throw new Refusal(409, 'verification_id_value_invalid', 'verification_id already exists');
    const given = {
      reference: verification_id,
      redirectUrl: redirect_url,
      person: this.people.last,
      over: {
        provider: 'cashfree',
        returnQuery: () => ({}),
        ended: () => this.announce(verification_id, headers),
      },
    };
    const session = this.locker.create(given, undefined);
    this.reads.expect('cashfree', verification_id);
    const reference_id = ++this.lastReference;
    this.verifications.set(verification_id, { reference_id, session });
    const url = this.pages.urlOf(`/locker/${session.id}`);
    return { verification_id, reference_id, url, status: 'PENDING' };
  }

  @Get()
  status(@Query('verification_id') id = ''): object {
    return this.present(id);
  }

  private announce(id: string, headers: IncomingHttpHeaders): void {
    const { session } = this.find(id);
    const name = EVENTS[this.locker.statusOf(session)];
    const happened = cashfreeWebhook(name, 'v1', this.present(id), headers, () => this.clock.now());
    this.webhooks.send(String(headers['x-client-id']), { happened, before: happened }, 0);
  }

  private present(id: string): object {
    const { reference_id, session } = this.find(id);
    const status = STATUS[this.locker.statusOf(session)];
    const aadhaar = lockerAadhaarOf(session);
    const isRead = aadhaar?.present === true;
    return {
      verification_id: id,
      reference_id,
      status,
      document_requested: ['AADHAAR'],
      document_consent: aadhaar ? ['AADHAAR'] : [],
      user_details: aadhaar
        ? {
            name: isRead ? aadhaar.holder.name : '',
            eaadhaar: isRead ? 'Y' : 'N',
            mobile: session.phone?.slice(-10) ?? null,
          }
        : undefined,
    };
  }

  /** The Aadhaar; by the vendor's reference, that of a KYC link. */
  @Get('document/AADHAAR')
  async aadhaar(
    @Headers() headers: IncomingHttpHeaders,
    @Query('verification_id') id = '',
    @Query('reference_id') reference?: string,
  ): Promise<object> {
    if (reference !== undefined) return this.aadhaarOfLink(reference, headers);
    const { reference_id, session } = this.find(id);
    const status = this.locker.statusOf(session);
    if (status === 'EXPIRED') throw new Refusal(400, 'url_expired', 'Link has expired');
    const aadhaar = lockerAadhaarOf(session);
    if (!aadhaar) throw new Refusal(400, 'consent_not_granted', 'Consent not granted');
    const answer = { verification_id: id, reference_id };
    if (!aadhaar.present) return { ...answer, status: 'AADHAAR_NOT_LINKED', message: 'Aadhaar not linked' };
    await this.reads.record('cashfree', id, headers);
    return { ...answer, ...this.document(aadhaar.holder, aadhaar.last_four, `/locker/${session.id}`) };
  }

  private async aadhaarOfLink(reference: string, headers: IncomingHttpHeaders): Promise<object> {
    const link = this.links.findBy('aadhaar', reference);
    if (!link) throw new Refusal(404, 'reference_id_not_found', 'reference_id is not known');
    const { aadhaar_id: reference_id, request } = link;
    if (request.state !== 'verified') throw new Refusal(400, 'consent_not_granted', 'Consent not granted');
    const { id, reference: verification_id, person } = request;
    await this.reads.record('cashfree', verification_id, headers);
    const document = this.document(holderFor(person), lastFourOf(person, id), `/ekyc/${id}`);
    return { verification_id, reference_id, ...document };
  }

  private document({ name, date_of_birth, year_of_birth }: Holder, lastFour: string, page: string): object {
    return {
      status: 'SUCCESS',
      message: 'Aadhaar Card Exists',
      uid: `xxxxxxxx${lastFour}`,
      name,
      dob: date_of_birth?.split('-').reverse().join('-') ?? null,
      year_of_birth: Number(year_of_birth),
      gender: 'F',
      care_of: '',
      split_address: { country: 'India', pincode: '560001', state: 'Karnataka' },
      photo_link: this.pages.urlOf(page),
      xml_file: this.pages.urlOf(page),
    };
  }

  private find(id: string): Verification {
    const found = this.verifications.get(id);
    if (!found) throw new Refusal(404, 'verification_id_value_invalid', 'verification_id is not known');
    return found;
  }
}
