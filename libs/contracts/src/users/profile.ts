import { ApiProperty } from '@nestjs/swagger';

const text = { type: String, nullable: true } as const;

/** Masked bank account of a profile. */
export class ProfileBank {
  @ApiProperty({ type: String, description: 'Masked to the last four digits.' })
  readonly account: string;

  @ApiProperty({ type: String })
  readonly ifsc: string;

  @ApiProperty(text)
  readonly bank_name: string | null;
}

/** `GET /api/v1/user-profile`: for a new user all values are null or false. */
export class UserProfilePayload {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly user_id: string;

  @ApiProperty({ type: String, description: 'Masked.' })
  readonly phone: string;

  @ApiProperty({ ...text, description: 'Masked.' })
  readonly email: string | null;

  @ApiProperty({ ...text, description: 'Masked.' })
  readonly pan: string | null;

  @ApiProperty(text)
  readonly full_name: string | null;

  @ApiProperty(text)
  readonly first_name: string | null;

  @ApiProperty(text)
  readonly middle_name: string | null;

  @ApiProperty(text)
  readonly last_name: string | null;

  @ApiProperty(text)
  readonly father_name: string | null;

  @ApiProperty({ type: String, format: 'date', nullable: true })
  readonly dob: string | null;

  @ApiProperty({ type: Boolean })
  readonly is_pan_verified: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_ekyc_verified: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_email_verified: boolean;

  @ApiProperty({ type: Boolean })
  readonly is_bank_verified: boolean;

  @ApiProperty({ type: () => ProfileBank, nullable: true })
  readonly bank: ProfileBank | null;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly nominees_count: number;
}
