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
    const failures = failuresOf(errors).sort((a, b) => a.rule.order - b.rule.order);
    const first = failures.filter(({ field }) => field === failures[0]?.field);
    if (first.length === 0) return instance;
    if (first.some(({ rule }) => rule.error === null)) throw AppError.unusableRequest();
    throw new AppError(first.map(({ field, rule }): Refusal => ({ error: rule.error!, field })));
  }
}

/** The failing rules of the whole tree. */
function failuresOf(
  errors: readonly ValidationError[],
  path = '',
): { field: string; rule: ValidationRule }[] {
  return errors.flatMap((error) => {
    const field = path + error.property;
    const own = Object.keys(error.constraints ?? {}).map((name) => ({ field, rule: ruleOf(error, name) }));
    return [...own, ...failuresOf(error.children ?? [], `${field}.`)];
  });
}

function ruleOf({ contexts, property }: ValidationError, constraint: string): ValidationRule {
  const rule = contexts?.[constraint] as ValidationRule | undefined;
  if (!rule) throw new Error(`the rule ${constraint} of ${property} carries no error of the catalogue`);
  return rule;
}
