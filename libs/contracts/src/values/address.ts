/** Of a pincode in India; also for JSON Schema. */
export const PINCODE_PATTERN = '^[1-9][0-9]{5}$';

const PINCODE = new RegExp(PINCODE_PATTERN);

export const isPincode = (value: unknown): value is string =>
  typeof value === 'string' && PINCODE.test(value);
