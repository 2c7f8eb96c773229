import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { QuoteErrors } from '@fd/errors';
import { type Check, Checks, FLAG_TEXTS, readFlag, ReadText } from '../fields.decorator.js';
import { readAmount } from '../values/money.js';
import { isPayoutFrequency, PAYOUT_FREQUENCIES, PRODUCT_TYPES, type ProductType } from './deposit-terms.js';

// Common parameters of queries about a deposit. They come as text; a repeated one is a list. Each is read as its value; a text that
// has none stays as it is and fails its check.

type Presence = 'required' | 'optional';

/** A number of days. The catalogue decides whether it is on sale; too many digits would become an infinity, which JSON lacks. */
export const Tenure = (): PropertyDecorator =>
  field(
    { type: 'integer', example: 730, description: 'Days.' },
    [QuoteErrors.tenureInvalid, Number.isInteger],
    'required',
    (text) =>
      /^-?[0-9]+$/.test(text)
        ? Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER))
        : text,
  );

/** An amount of rupees, read by its leading number as paise. */
export const Amount = (): PropertyDecorator =>
  field(
    { type: 'number', example: 100_000, description: 'Rupees. Text after the number is ignored.' },
    [QuoteErrors.amountInvalid, (value) => typeof value === 'bigint'],
    'required',
    readAmount,
  );

/** @param presence optional: defaults to Maturity */
export const Frequency = (presence: Presence): PropertyDecorator =>
  field(
    { enum: PAYOUT_FREQUENCIES, ...(presence === 'optional' && { default: 'Maturity' }) },
    [QuoteErrors.frequencyUnknown, isPayoutFrequency],
    presence,
  );

/** An optional flag. @param byDefault null: the description says it */
export const OptionalFlag = (
  description?: string,
  byDefault: 'true' | 'false' | null = 'false',
): PropertyDecorator =>
  field(
    {
      enum: FLAG_TEXTS,
      ...(byDefault && { default: byDefault }),
      ...(description && { description }),
    },
    [QuoteErrors.flagInvalid, (value) => typeof value === 'boolean'],
    'optional',
    readFlag,
  );

/** @param presence optional: defaults to FD */
export const Product = (presence: Presence): PropertyDecorator =>
  field(
    { enum: PRODUCT_TYPES, ...(presence === 'optional' && { default: 'FD' }) },
    [QuoteErrors.productTypeUnsupported, (value) => PRODUCT_TYPES.includes(value as ProductType)],
    presence,
  );

/** Describes a parameter, reads it and checks it with one code; an optional parameter may be absent. */
function field(
  schema: ApiPropertyOptions,
  [code, isGood]: Check,
  presence: Presence,
  read: (text: string) => unknown = (text) => text,
): PropertyDecorator {
  const isOptional = presence === 'optional';
  const decorators = [
    (isOptional ? ApiPropertyOptional : ApiProperty)(schema),
    ReadText(read),
    Checks([code, (value, request) => (isOptional && value === undefined) || isGood(value, request)]),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
