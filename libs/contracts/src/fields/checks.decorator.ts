import type { ErrorDefinition, ValidationRule } from '@fd/errors';
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
