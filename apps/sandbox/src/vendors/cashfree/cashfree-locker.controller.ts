import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import {
  lockerAadhaarOf,
  type LockerSession,
  type LockerStatus,
  type LockerWay,
} from '../../providers/locker/locker-session.js';
import { LockerService } from '../../providers/locker/locker.service.js';
import { KnownPeople } from '../../providers/pan-registry/known-people.service.js';
import { CASHFREE } from './cashfree-dialect.js';

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

const WAY: LockerWay = { party: 'cashfree', returnQuery: () => ({}) };

interface Verification {
  readonly reference_id: number;
  readonly session: LockerSession;
}

/** Cashfree's DigiLocker. It is told nobody's name; a `verification_id` is taken once. */
@OutsideApi('vendors/cashfree/verification/digilocker', CASHFREE)
export class CashfreeLockerController {
  private readonly verifications = new BoundedMap<string, Verification>();
  private lastReference = 7_000;

  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
    private readonly effects: Effects,
    private readonly people: KnownPeople,
  ) {}

  @Post()
  @HttpCode(200)
  begin(@Body() body: unknown): object {
    const { verification_id, redirect_url } = readBody(request, body);
    if (this.verifications.has(verification_id))
      throw new Refusal(409, 'verification_id_already_exists', 'verification_id already exists');
    const given = {
      reference: verification_id,
      redirectUrl: redirect_url,
      person: this.people.last,
      over: WAY,
    };
    const session = this.locker.create(given, undefined);
    const reference_id = ++this.lastReference;
    this.verifications.set(verification_id, { reference_id, session });
    const url = this.pages.urlOf(`/locker/${session.id}`);
    return { verification_id, reference_id, url, status: 'PENDING' };
  }

  @Get()
  status(@Query('verification_id') id = ''): object {
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
        ? { name: isRead ? aadhaar.holder.name : '', eaadhaar: isRead ? 'Y' : 'N' }
        : undefined,
    };
  }

  /** The Aadhaar, which is charged for once for each verification. */
  @Get('document/AADHAAR')
  aadhaar(@Query('verification_id') id = ''): object {
    const { reference_id, session } = this.find(id);
    const status = this.locker.statusOf(session);
    if (status === 'EXPIRED') throw new Refusal(400, 'url_expired', 'Link has expired');
    const aadhaar = lockerAadhaarOf(session);
    if (!aadhaar) throw new Refusal(400, 'consent_not_granted', 'Consent not granted');
    const answer = { verification_id: id, reference_id };
    if (!aadhaar.present) return { ...answer, status: 'AADHAAR_NOT_LINKED', message: 'Aadhaar not linked' };
    const { name, date_of_birth, year_of_birth } = aadhaar.holder;
    const charge = { party: 'cashfree', kind: 'aadhaar', subject: id, idempotencyKey: id };
    this.effects.once(charge, () => undefined);
    return {
      ...answer,
      status: 'SUCCESS',
      message: 'Aadhaar Card Exists',
      uid: `xxxxxxxx${aadhaar.last_four}`,
      name,
      dob: date_of_birth?.split('-').reverse().join('-') ?? null,
      year_of_birth,
      gender: 'F',
      care_of: '',
      split_address: { country: 'India', pincode: '560001', state: 'Karnataka' },
      photo_link: this.pages.urlOf(`/locker/${session.id}`),
      xml_file: this.pages.urlOf(`/locker/${session.id}`),
    };
  }

  private find(id: string): Verification {
    const found = this.verifications.get(id);
    if (!found) throw new Refusal(404, 'verification_id_value_invalid', 'verification_id is not known');
    return found;
  }
}
