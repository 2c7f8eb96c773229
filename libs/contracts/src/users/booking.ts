import { ApiProperty } from '@nestjs/swagger';

/** Codes of what may be in the way of a booking. */
export const BLOCKER_CODES = ['SVCINV2001', 'SVCUSER2710', 'SVCUSER2711', 'SVCINV165'] as const;
export type BlockerCode = (typeof BLOCKER_CODES)[number];

/** Something that is in the way of a booking. */
export class BookingBlocker {
  @ApiProperty({
    type: String,
    enum: BLOCKER_CODES,
    description:
      'SVCINV2001: the step is not done. SVCUSER2710: the issuer requires a nominee, and none was named. SVCUSER2711: the shares do not make 100. SVCINV165: a nominee is named like the holder of the PAN.',
  })
  readonly code: BlockerCode;

  @ApiProperty({ type: String, description: 'For the person.' })
  readonly message: string;

  @ApiProperty({ type: String, example: 'NOMINEE', description: 'Step of the journey that mends it.' })
  readonly step: string;
}

/** `GET /issuer-apis/{issuer_slug}/v1/booking-check` */
export class BookingCheckPayload {
  @ApiProperty({ type: Boolean, description: 'Whether nothing is in the way.' })
  readonly is_bookable: boolean;

  @ApiProperty({ type: () => [BookingBlocker], description: 'In the order of the journey.' })
  readonly blockers: BookingBlocker[];
}
