import { AppError, type Refusal } from './app-error.js';
import type { ErrorDefinition } from './define-errors.js';

/**
 * Reads each item with READ, also after one is refused.
 * @throws AppError with the refusals of all items in their order; an error of another kind at once
 */
export function readEach<T, R>(items: readonly T[], read: (item: T, index: number) => R): R[] {
  const refusals: Refusal[] = [];
  const values = items.flatMap((item, index): R[] => {
    try {
      return [read(item, index)];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusals.push(...error.refusals);
      return [];
    }
  });
  if (refusals.length > 0) throw new AppError(refusals);
  return values;
}

/** Reads as `readEach`, for the fields of an object, in the order of READERS: a reader may use the results of earlier ones. */
export function readAll<T extends object>(readers: { readonly [K in keyof T]: () => T[K] }): T {
  const fields = Object.entries<() => unknown>(readers);
  return Object.fromEntries(readEach(fields, ([name, read]) => [name, read()] as const)) as T;
}

/** Refuses a field, as an expression of a reader. */
export function refuse(error: ErrorDefinition, field: string): never {
  throw error({ field });
}
