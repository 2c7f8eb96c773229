import type { IncomingHttpHeaders } from 'node:http';
import { Body, Get, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { HttpsServer } from '../../hosted-pages/https-server.service.js';
import { pageUrl } from '../../hosted-pages/redirect.js';
import { indiaTime } from '../../http/india-time.js';
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
import { AadhaarReads } from '../aadhaar-reads.service.js';
import { SETU, SETU_TRACE_ID as traceId } from './setu-dialect.js';

const request = z.object({ redirectUrl: pageUrl });

const STATUS: Readonly<Record<Exclude<LockerStatus, 'EXPIRED'>, string>> = {
  CREATED: 'unauthenticated',
  AUTHORISED: 'authenticated',
  DENIED: 'revoked',
};

const WAY: LockerWay = {
  provider: 'setu',
  staysOpenOnCancel: true,
  returnQuery: ({ id }, status): Record<string, string> =>
    status === 'AUTHORISED'
      ? { success: 'True', id, scope: 'ADHAR' }
      : { success: 'False', id, errCode: 'access_denied', errMessage: 'The user denied access' },
};

/** Setu's DigiLocker. Its requests contain neither a name nor a reference. */
@OutsideApi('vendors/setu/api/digilocker', SETU)
export class SetuLockerController {
  constructor(
    private readonly locker: LockerService,
    private readonly pages: HttpsServer,
    private readonly reads: AadhaarReads,
    private readonly people: KnownPeople,
  ) {}

  /** Opens a request for each call. */
  @Post()
  @HttpCode(200)
  begin(@Body() body: unknown): object {
    const given = readBody(request, body);
    const session = this.locker.create(
      { reference: uuidv7(), ...given, person: this.people.last, over: WAY },
      undefined,
    );
    this.reads.expect('setu', session.id);
    const url = this.pages.urlOf(`/locker/${session.id}`);
    return {
      id: session.id,
      status: 'unauthenticated',
      url,
      validUpto: indiaTime(session.expiresAt),
      traceId,
    };
  }

  @Get(':id/status')
  status(@Param('id') id: string): object {
    const { session, status } = this.find(id);
    const digilockerUserDetails =
      status === 'AUTHORISED'
        ? { digilockerId: session.id, email: null, phoneNumber: session.phone?.slice(-10) ?? null }
        : undefined;
    return {
      id,
      status: STATUS[status],
      validUpto: indiaTime(session.expiresAt),
      digilockerUserDetails,
      traceId,
    };
  }

  @Get(':id/aadhaar')
  async aadhaar(@Param('id') id: string, @Headers() headers: IncomingHttpHeaders): Promise<object> {
    const { session, status } = this.find(id);
    if (status === 'CREATED') throw new Refusal(401, 'user_not_authenticated', 'User is not authenticated');
    const aadhaar = lockerAadhaarOf(session);
    if (session.outcome === 'take_back')
      throw new Refusal(401, 'token_revoked', 'The token has been revoked');
    if (!aadhaar) throw new Refusal(403, 'user_consent_not_given', 'User has not given consent');
    if (!aadhaar.present) throw new Refusal(400, 'aadhaar_not_linked', 'Aadhaar is not linked');
    const { name, date_of_birth, year_of_birth } = aadhaar.holder;
    await this.reads.record('setu', id, headers);
    return {
      aadhaar: {
        name,
        dateOfBirth: date_of_birth?.split('-').reverse().join('-') ?? year_of_birth,
        gender: 'F',
        address: { country: 'India', pin: '560001', state: 'Karnataka' },
        maskedNumber: `xxxx-xxxx-${aadhaar.last_four}`,
        photo: 'bm8gcGhvdG8',
        verified: { email: null, phone: null, signature: true },
        generatedAt: indiaTime(session.expiresAt),
        xml: {
          fileUrl: this.pages.urlOf(`/locker/${id}`),
          shareCode: '',
          validUntil: indiaTime(session.expiresAt),
        },
      },
      id,
      status: 'complete',
      traceId,
    };
  }

  /** @throws Refusal for an ended one too: the vendor does not distinguish them */
  private find(id: string): { session: LockerSession; status: Exclude<LockerStatus, 'EXPIRED'> } {
    const session = this.locker.findById(id);
    const status = session && this.locker.statusOf(session);
    if (!session || !status || status === 'EXPIRED' || session.over !== WAY) {
      throw new Refusal(404, 'request_not_found', 'Request not found');
    }
    return { session, status };
  }
}
