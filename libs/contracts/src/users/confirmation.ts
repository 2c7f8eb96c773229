import { ApiProperty } from '@nestjs/swagger';
import { GeneralErrors } from '@fd/errors';
import { Checks } from '../fields/checks.decorator.js';
import { PanAndBirthDate } from './pan.js';

/** `POST /api/v1/account-confirmation`: the verified PAN of the account and its holder's date of birth. */
export class ConfirmAccountRequest extends PanAndBirthDate {}

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
