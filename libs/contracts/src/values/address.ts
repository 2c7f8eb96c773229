/** Of a pincode in India; also for JSON Schema. */
export const PINCODE_PATTERN = '^[1-9][0-9]{5}$';

const PINCODE = new RegExp(PINCODE_PATTERN);

export const isPincode = (value: unknown): value is string =>
  typeof value === 'string' && PINCODE.test(value);

/** A text without control characters, such as line breaks, or lone surrogates, which PostgreSQL cannot store. */
export const isPrintableLine = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(value);
