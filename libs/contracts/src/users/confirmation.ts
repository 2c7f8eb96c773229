import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Checks, isGiven } from '../fields.decorator.js';
import { PanAndBirthDate } from './pan.js';

/** `POST /api/v1/account-confirmation`: the verified PAN of the account and its holder's date of birth. */
export class ConfirmAccountRequest extends PanAndBirthDate {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'The person agrees to the notice `PARTNER_SHARING`: this partner may see and change what was given through others. Without it the session may only look, withdraw consents and end sessions.',
  })
  @Checks([GeneralErrors.fieldInvalid, (value) => !isGiven(value) || typeof value === 'boolean'])
  readonly share_with_partner?: boolean | null;
}

export class ConfirmedAccountPayload {
  @ApiProperty({ type: Boolean, enum: [true] })
  readonly is_confirmed: boolean;
}

/** `POST /api/v1/account-confirmation/start-anew` */
export class StartAnewRequest {
  @ApiProperty({
    type: Boolean,
    description: 'Must be true: the person gives the account of this phone up and begins a new one.',
  })
  @Checks([GeneralErrors.fieldInvalid, (value) => value === true])
  readonly start_anew: boolean;
}
