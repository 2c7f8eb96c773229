import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { AppError, type Refusal, type ValidationRule } from '@fd/errors';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';

const PLAIN_TYPES: unknown[] = [String, Boolean, Number, Array, Object, undefined];

/**
 * Validates bodies and queries against their request class and answers with the errors that the rules carry, in
 * the order of the contract: all failing rules of the first failing field. Unknown fields are dropped.
 */
@Injectable()
export class ContractValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (PLAIN_TYPES.includes(metatype) || (type !== 'body' && type !== 'query')) return value;
    const instance = plainToInstance(metatype as new () => object, value ?? {});
    const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: false });
    const first = failuresOf(errors)[0];
    if (!first) return instance;
    throw first.rules.some((rule) => rule.error === null)
      ? AppError.unusableRequest()
      : new AppError(first.rules.map((rule): Refusal => ({ error: rule.error!, field: first.field })));
  }
}

interface FieldFailure {
  readonly field: string;
  readonly rules: ValidationRule[];
}

/** Failing fields of the whole tree with their rules, both in the order in which the class declares them. */
function failuresOf(errors: readonly ValidationError[], path = ''): FailureList {
  return errors
    .flatMap((error): FieldFailure[] => {
      const field = path ? `${path}.${error.property}` : error.property;
      const rules = Object.keys(error.constraints ?? {})
        .map((name) => ruleOf(error, name))
        .sort((a, b) => a.order - b.order);
      return [...(rules.length ? [{ field, rules }] : []), ...failuresOf(error.children ?? [], field)];
    })
    .sort((a, b) => (a.rules[0]?.order ?? 0) - (b.rules[0]?.order ?? 0));
}

type FailureList = FieldFailure[];

function ruleOf(error: ValidationError, constraint: string): ValidationRule {
  const context = error.contexts?.[constraint] as ValidationRule | undefined;
  if (!context)
    throw new Error(`the rule ${constraint} of ${error.property} carries no error of the catalogue`);
  return context;
}
