import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BankErrors, GeneralErrors } from '@fd/errors';
import { Allow } from 'class-validator';
import { BlankAsAbsent, Checks, ifGiven, isGiven, isPrintableLine } from '../fields.decorator.js';
import { isAccountNumber, isIfsc } from '../values/bank-account.js';
import { hasNameCharacters } from '../values/person-name.js';

/** Maximum length of a name, longer than any that a bank prints. */
const MAX_HOLDER_NAME_LENGTH = 200;

/** Present and not blank. */
const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

/** A name without digits, in any script. */
const isNameWithoutDigits = (value: unknown): boolean => typeof value === 'string' && !/\p{N}/u.test(value);

const isFirstName = (value: unknown): boolean => typeof value === 'string' && hasNameCharacters(value);

/** Printable text within the maximum length. Other rules refuse other types. */
const isPrintable = (value: unknown): boolean =>
  typeof value !== 'string' || isPrintableLine(value, MAX_HOLDER_NAME_LENGTH);

const isText = (value: unknown): boolean => typeof value === 'string';

/** `POST /api/v1/bank/sync-to-issuer` */
export class BankSyncRequest {
  @ApiProperty({ type: String, pattern: '^[0-9]{9,18}$', example: '50100012345678' })
  @Checks(
    [BankErrors.fieldMissing, isFilled],
    [BankErrors.accountInvalid, (value) => !isFilled(value) || isAccountNumber(value)],
  )
  readonly account: string;

  @ApiProperty({ type: String, pattern: '^[A-Z]{4}0[A-Z0-9]{6}$', example: 'HDFC0001234' })
  @Checks(
    [BankErrors.fieldMissing, isFilled],
    [BankErrors.ifscInvalid, (value) => !isFilled(value) || isIfsc(value)],
  )
  readonly ifsc: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'Asha Kumari Rao',
    description:
      "Takes precedence over first and last name. Without any name the service uses the name of the PAN's holder.",
  })
  @Checks(
    [BankErrors.fullNameInvalid, ifGiven(isNameWithoutDigits)],
    [GeneralErrors.fieldInvalid, isPrintable],
  )
  readonly account_holder_full_name?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Asha' })
  @Checks([BankErrors.firstNameInvalid, ifGiven(isFirstName)], [GeneralErrors.fieldInvalid, isPrintable])
  readonly account_holder_first_name?: string | null;

  // no further rule: an empty text or a dot means no last name, and the comparison decides
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'Rao',
    description: 'May be empty or a dot.',
  })
  @Checks([GeneralErrors.fieldInvalid, (value) => ifGiven(isText)(value) && isPrintable(value)])
  readonly account_holder_last_name?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'ARAVFIN',
    description:
      'Issuer that registers the account. Defaults to the issuer that the user chose last, if any.',
  })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: `The person asks for a review by a person: names that differ are not refused with \`${BankErrors.holderDiffers.code}\`, but wait for an operator. They count as differing names. The account is refused for good once an operator has refused its names.`,
  })
  @Checks([GeneralErrors.fieldInvalid, (value) => !isGiven(value) || typeof value === 'boolean'])
  readonly ask_for_review?: boolean | null;
}

/** Query of `POST /api/v1/bank/sync-to-issuer`: defaults for the body. */
export class BankSyncQuery {
  @ApiPropertyOptional({ type: String, example: 'Asha Kumari Rao' })
  // checked only if the body names no holder
  @Allow()
  readonly account_holder_name?: unknown;

  @ApiPropertyOptional({ type: String, example: 'ARAVFIN' })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;
}

/**
 * The holder that a request names: the full name, else first and last name, else the name in the query; in composed characters
 * (NFC). Undefined means the holder of the PAN.
 * @throws BankErrors.fullNameInvalid, GeneralErrors.fieldInvalid for the name in the query, if no other is given
 */
export function holderName(body: BankSyncRequest, query: BankSyncQuery): string | undefined {
  const last = tidy(body.account_holder_last_name);
  const parts = [tidy(body.account_holder_first_name), last === '.' ? undefined : last];
  const joined = parts.filter((part) => part !== undefined).join(' ') || undefined;
  return tidy(body.account_holder_full_name) ?? joined ?? nameInQuery(query.account_holder_name);
}

const tidy = (given: string | null | undefined): string | undefined =>
  given?.normalize('NFC').trim().replace(/\s+/g, ' ') || undefined;

function nameInQuery(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const field = 'account_holder_name';
  if (typeof given !== 'string' || !isNameWithoutDigits(given)) throw BankErrors.fullNameInvalid({ field });
  if (!isPrintable(given)) throw GeneralErrors.fieldInvalid({ field });
  return tidy(given);
}

/** Query of `GET /api/v1/bank/verification/{verification_id}` */
export class BankVerificationQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'ARAVFIN',
    description: 'The issuer of the registration. Defaults to the one requested last.',
  })
  @BlankAsAbsent()
  @Allow()
  readonly issuer_code?: unknown;
}

const NAME_BANDS = ['EXACT', 'STRONG', 'REVIEW', 'MISMATCH'] as const;
/** EXACT and STRONG (85 and more) pass, REVIEW (70 to 84) passes and is reviewed by a person, MISMATCH fails, or is reviewed on request. */
type NameBand = (typeof NAME_BANDS)[number];

/** The similarity of the names: the weakest of all comparisons. */
export class NameMatchView {
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  readonly score: number;

  @ApiProperty({ type: String, enum: NAME_BANDS })
  readonly band: NameBand;

  @ApiProperty({ type: [String], description: 'Findings of the comparison, as stable tokens.' })
  readonly reasons: readonly string[];
}

/** A bank account with its verification at the bank and its registration at an issuer. */
export class BankVerificationPayload {
  @ApiProperty({
    type: Boolean,
    description:
      'Verified by the bank, and the names do not differ. The step is completed once the name also matches a verified PAN.',
  })
  readonly is_bank_verified: boolean;

  @ApiProperty({ type: String, format: 'uuid', description: 'Equal in every repeat.' })
  readonly verification_id: string;

  @ApiProperty({ type: String, description: 'Masked to the last four digits.', example: 'XXXXXXXXXX5678' })
  readonly account: string;

  @ApiProperty({ type: String, example: 'HDFC0001234' })
  readonly ifsc: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null until the bank answers.' })
  readonly bank_name: string | null;

  @ApiProperty({
    type: () => NameMatchView,
    nullable: true,
    description: 'Null until the bank answers.',
  })
  readonly name_match: NameMatchView | null;

  @ApiProperty({ type: Boolean, description: 'Whether the issuer has registered the account.' })
  readonly is_synced: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Null while no issuer is chosen.' })
  readonly issuer_code: string | null;

  @ApiProperty({ type: String, nullable: true, description: "The issuer's id of the registration." })
  readonly issuer_reference: string | null;

  @ApiPropertyOptional({
    type: String,
    enum: [BankErrors.pending.code],
    description:
      'Only with HTTP 202: the bank, the issuer or an operator is still working. Poll the verification.',
  })
  readonly pending_code?: typeof BankErrors.pending.code;
}
