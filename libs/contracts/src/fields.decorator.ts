import { ConsentErrors, type ErrorDefinition, OtpErrors, type ValidationRule } from '@fd/errors';
import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

/** A rule of a field: its error (null: the whole request is unreadable) and its test, which may look at the whole request. */
export type Check = readonly [
  error: ErrorDefinition | null,
  isGood: (value: unknown, request: object) => boolean,
];

// decorators run in the order of the fields, so a counter gives the order of checks
let order = 0;

/**
 * The rules of a field in their order of report. Each becomes a class-validator constraint with its error of the catalogue; all
 * broken rules of all fields are reported.
 */
export const Checks =
  (...checks: readonly Check[]): PropertyDecorator =>
  (target, property) => {
    for (const [index, [error, isGood]] of checks.entries()) {
      const rule: ValidationRule = { error, order: order++ };
      registerDecorator({
        name: `check${index}`,
        target: target.constructor,
        propertyName: String(property),
        options: { context: rule },
        validator: {
          validate: (value: unknown, args) => isGood(value, args!.object),
          defaultMessage: () => error?.code ?? 'unreadable',
        },
      });
    }
  };

/** Accepts undefined and null; applies the test to other values. */
export const ifGiven =
  (isGood: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || value === null || isGood(value);

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Whether a value is an object with fields: neither null nor a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text without control characters, such as line breaks, or lone surrogates, which PostgreSQL cannot store. */
export const isPrintableLine = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(value);

/** Reads a parameter of a query, which comes as text, as its value. A text that has none stays as it is and fails its check; so does a repeated parameter, a list. */
export const ReadText = (read: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }) => (typeof value === 'string' ? read(value) : (value as unknown)));

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

export const FLAG_TEXTS = Object.keys(FLAGS);

export const readFlag = (text: string): unknown => (Object.hasOwn(FLAGS, text) ? FLAGS[text] : text);

/** A blank field of a form or a blank parameter counts as not given. */
export const BlankAsAbsent = (): PropertyDecorator => ReadText((text) => (text === '' ? undefined : text));

/** Rules of a one-time code, which is text: leading zeros matter. */
export const OTP_RULES: readonly Check[] = [
  [OtpErrors.missing, isGiven],
  [OtpErrors.wrongLength, (value) => !isGiven(value) || (typeof value === 'string' && value.length === 6)],
  [
    OtpErrors.notNumeric,
    (value) => typeof value !== 'string' || value.length !== 6 || /^[0-9]{6}$/.test(value),
  ],
];

export const OTP_SCHEMA = { type: String, minLength: 6, maxLength: 6, example: '123456' } as const;

const isAnswered = (value: unknown): boolean => value !== undefined && value !== null;

/** Rules of a consent, which must be true, with different errors for a missing, a non-boolean and a refused one. */
export const CONSENT_RULES = [
  [ConsentErrors.missing, isAnswered],
  [ConsentErrors.notBoolean, (value: unknown) => !isAnswered(value) || typeof value === 'boolean'],
  [ConsentErrors.refused, (value: unknown) => value !== false],
] as const;
