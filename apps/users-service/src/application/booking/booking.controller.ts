import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { BookingCheckPayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { IssuerErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { BookingService } from './booking.service.js';

@ApiTags('Booking')
@Controller('issuer-apis/:issuer_slug/v1/booking-check')
export class BookingController {
  constructor(private readonly booking: BookingService) {}

  @Get()
  @Audited('BOOKING_CHECKED')
  @ApiOperation({ summary: 'Whether a deposit can be booked with an issuer, and all that is in the way' })
  @Answers({ payload: BookingCheckPayload, raises: [IssuerErrors.unknown] })
  async check(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('issuer_slug') slug: string,
  ): Promise<BookingCheckPayload> {
    return this.booking.check(userId, slug);
  }
}
