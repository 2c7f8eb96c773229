import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { QuoteErrors } from '@fd/errors';
import { type Check, Checks } from '../fields/checks.decorator.js';
import { isPayoutFrequency, PAYOUT_FREQUENCIES, PRODUCT_TYPES, type ProductType } from './deposit-terms.js';
import { readAmount } from './investment-amount.js';

// Common parameters of queries about a deposit. All values are text; a repeated parameter is a list and fails its check.

/** Values of a flag in a query. */
export const FLAGS = ['true', 'false'] as const;
export type Flag = (typeof FLAGS)[number];

type Presence = 'required' | 'optional';

/** A number of days. The catalogue decides whether it is on sale. */
export const Tenure = (): PropertyDecorator =>
  field(
    { type: 'integer', example: 730, description: 'Days.' },
    [QuoteErrors.tenureInvalid, (value) => typeof value === 'string' && /^-?[0-9]+$/.test(value)],
    'required',
  );

/** An amount of rupees, read by its leading number. */
export const Amount = (): PropertyDecorator =>
  field(
    { type: 'number', example: 100_000, description: 'Rupees. Text after the number is ignored.' },
    [QuoteErrors.amountInvalid, (value) => readAmount(value) !== undefined],
    'required',
  );

/** @param presence optional: defaults to Maturity */
export const Frequency = (presence: Presence): PropertyDecorator =>
  field(
    { enum: PAYOUT_FREQUENCIES, ...(presence === 'optional' && { default: 'Maturity' }) },
    [QuoteErrors.frequencyUnknown, isPayoutFrequency],
    presence,
  );

/** An optional flag; defaults to false. */
export const OptionalFlag = (description?: string): PropertyDecorator =>
  field(
    { enum: FLAGS, default: 'false', ...(description && { description }) },
    [QuoteErrors.flagInvalid, (value) => FLAGS.includes(value as Flag)],
    'optional',
  );

/** @param presence optional: defaults to FD */
export const Product = (presence: Presence): PropertyDecorator =>
  field(
    { enum: PRODUCT_TYPES, ...(presence === 'optional' && { default: 'FD' }) },
    [QuoteErrors.productTypeUnsupported, (value) => PRODUCT_TYPES.includes(value as ProductType)],
    presence,
  );

/** Describes a parameter and checks it with one code; an optional parameter may be absent. */
function field(schema: ApiPropertyOptions, [code, isGood]: Check, presence: Presence): PropertyDecorator {
  const isOptional = presence === 'optional';
  const describe = (isOptional ? ApiPropertyOptional : ApiProperty)(schema);
  const check = Checks([code, (value) => (isOptional && value === undefined) || isGood(value)]);
  return (target, property) => {
    describe(target, property);
    check(target, property);
  };
}
