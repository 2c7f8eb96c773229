import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { AppError, type Refusal, type ValidationRule } from '@fd/errors';
import { getMetadataStorage } from 'class-validator';

const PLAIN_TYPES: unknown[] = [String, Boolean, Number, Array, Object, undefined];

/** A rule of one field. */
interface FieldRule extends ValidationRule {
  readonly field: string;
  readonly isGood: (value: unknown) => boolean;
}

/** The class-validator rules of a request class, read once, since class-validator looks them up for every object. */
interface RequestRules {
  readonly fields: ReadonlySet<string>;
  /** In the order of the contract. */
  readonly rules: readonly FieldRule[];
}

/**
 * Validates bodies and queries against their request class. Reports all broken rules of all fields in the order of the
 * contract. Drops unknown fields.
 */
@Injectable()
export class ContractValidationPipe implements PipeTransform {
  private readonly known = new Map<Type<object>, RequestRules>();

  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || PLAIN_TYPES.includes(metatype)) return value;
    const requestClass = metatype as Type<object>;
    let known = this.known.get(requestClass);
    if (!known) this.known.set(requestClass, (known = rulesOf(requestClass)));
    const { fields, rules } = known;
    const given = (value ?? {}) as Readonly<Record<string, unknown>>;
    const isBroken = ({ field, isGood }: FieldRule): boolean => !isGood(given[field]);
    if (rules.some((rule) => !rule.isDeferred && isBroken(rule))) throw refusalOf(rules.filter(isBroken));
    const request = new requestClass() as Record<string, unknown>;
    for (const field of fields) if (field in given) request[field] = given[field];
    return request;
  }
}

/** The first broken rule decides whether the request counts as unreadable. */
function refusalOf([first, ...others]: readonly FieldRule[]): AppError {
  if (!first!.error) return AppError.unreadableRequest(`Send the field ${first!.field}.`);
  const refusals = [first!, ...others].flatMap(({ field, error }): Refusal[] =>
    error ? [{ error, field }] : [],
  );
  return new AppError(refusals);
}

/** @throws Error for a decorator that is neither a rule with an error of the catalogue nor `@Allow()` */
function rulesOf(requestClass: Type<object>): RequestRules {
  const storage = getMetadataStorage();
  const declared = storage.getTargetValidationMetadatas(requestClass, '', false, false);
  const rules = declared.flatMap(({ type, propertyName: field, constraintCls, context }): FieldRule[] => {
    if (type === 'whitelistValidation') return [];
    const rule = context as ValidationRule | undefined;
    const [constraint] = storage.getTargetValidatorConstraints(constraintCls);
    if (!rule || !constraint) throw new Error(`a rule of ${field} carries no error of the catalogue`);
    const { instance } = constraint;
    return [{ ...rule, field, isGood: (value) => instance.validate(value) === true }];
  });
  return {
    fields: new Set(declared.map(({ propertyName }) => propertyName)),
    rules: rules.sort((a, b) => a.order - b.order),
  };
}
