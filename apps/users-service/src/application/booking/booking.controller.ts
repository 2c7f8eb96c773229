import { Controller, Get, Ip, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { BookingCheckPayload, BookingCheckQuery } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, GeneralErrors, IssuerErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { BookingService } from './booking.service.js';

@ApiTags('Booking')
@Controller('issuer-apis/:issuer_slug/v1/booking-check')
export class BookingController {
  constructor(private readonly booking: BookingService) {}

  @Get()
  @Audited('BOOKING_CHECKED')
  @ApiOperation({
    summary: 'Whether a deposit can be booked with an issuer, and all blockers',
    description:
      'The end of the journey. `is_bookable` is true, or `blockers` lists each obstacle with its error code, its step and what the user can do. `warnings` block nothing.',
  })
  @Answers({
    payload: BookingCheckPayload,
    raises: [
      IssuerErrors.unknown,
      ConsentErrors.factSheetHashInvalid,
      ConsentErrors.factSheetSignatureInvalid,
      ConsentErrors.languageUnknown,
      ConsentErrors.withdrawn,
      GeneralErrors.tooManyRequests,
    ],
  })
  async check(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Query() query: BookingCheckQuery,
    @Ip() ip: string,
  ): Promise<BookingCheckPayload> {
    return this.booking.check({ ...session, ip }, slug, query);
  }
}
