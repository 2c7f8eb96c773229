import type { ErrorDefinition, ValidationRule } from '@fd/errors';
import { registerDecorator } from 'class-validator';

/** One rule of a field: the error it refuses with (null: the request as a whole, without items) and its test. */
export type Check = readonly [error: ErrorDefinition | null, isGood: (value: unknown) => boolean];

// Decorators run in the order in which the fields are written, so a counter gives the order of checks.
let order = 0;

/**
 * The rules of one field, in the order in which they are reported. Each becomes a class-validator constraint
 * that carries its error of the catalogue; all failing rules of all fields are answered.
 */
export function Checks(...checks: readonly Check[]): PropertyDecorator {
  return (target, property) => {
    for (const [index, [error, isGood]] of checks.entries()) {
      const rule: ValidationRule = { error, order: order++ };
      registerDecorator({
        name: `check${index}`,
        target: target.constructor,
        propertyName: String(property),
        options: { context: rule },
        validator: { validate: isGood, defaultMessage: () => error?.code ?? 'unreadable' },
      });
    }
  };
}

/** Passes what is left out (undefined or null), else asks the test. */
export const ifGiven =
  (isGood: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || value === null || isGood(value);

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Whether a value is an object with fields: neither null nor a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
