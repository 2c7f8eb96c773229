import { Injectable } from '@nestjs/common';
import { PersonalDetailsErrors, type Refusal } from '@fd/errors';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { IssuerDirectory } from '../../integrations/index.js';
import type { Issuer } from '../../config/index.js';
import { type Candidate, CHECK_ORDER } from './details.js';
import { askedBy, savedDetailsSchema } from './personal-details.schema.js';

/** One field that an issuer would not take. */
export interface DetailFailure extends Refusal {
  /** `mother_name`, `communication_address.pincode`, `declarations.FATCA`. */
  readonly field: string;
}

const DECLARATIONS = 'declarations';

/** Checks details against what issuers ask for. */
@Injectable()
export class DetailsValidator {
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true });
  /** By issuer; of what all of them ask for without one. */
  private readonly schemas: ReadonlyMap<string | undefined, object>;
  private readonly compiled = new Map<string | undefined, ValidateFunction>();

  constructor(directory: IssuerDirectory) {
    this.schemas = new Map(
      [undefined, ...directory.all].map((issuer) => [issuer?.slug, savedDetailsSchema(issuer)]),
    );
  }

  /** Everything that an issuer would not take, in the order of checks; empty: it takes them as they are. */
  failuresOf(issuer: Issuer | undefined, { details, declarations }: Candidate): DetailFailure[] {
    const validate = this.validatorOf(issuer?.slug);
    if (validate({ ...details, declarations })) return [];
    const codes = askedBy(issuer).declarations;
    const failures = (validate.errors ?? []).map((error) => failureOf(error, codes));
    const order = [...CHECK_ORDER, DECLARATIONS, ...codes.map((code) => `${DECLARATIONS}.${code}`)];
    return unique(failures).sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }

  /** Compiled when it is first needed: all of them at once would be a fifteenth of the service's start. */
  private validatorOf(slug: string | undefined): ValidateFunction {
    const known = this.compiled.get(slug);
    if (known) return known;
    const schema = this.schemas.get(slug);
    if (!schema) throw new Error('an issuer that came after the start');
    const validate = this.ajv.compile(schema);
    this.compiled.set(slug, validate);
    return validate;
  }
}

function failureOf(error: ErrorObject, declarations: readonly string[]): DetailFailure {
  const path = error.instancePath.split('/').slice(1);
  if (path[0] === DECLARATIONS) {
    const missing = /\/allOf\/([0-9]+)\//.exec(error.schemaPath)?.[1];
    const part = missing === undefined ? [] : [declarations[Number(missing)]];
    return { field: [DECLARATIONS, ...part].join('.'), error: PersonalDetailsErrors.declarationMissing };
  }
  if (error.keyword === 'required') {
    const field = [...path, (error.params as { missingProperty: string }).missingProperty].join('.');
    return { field, error: PersonalDetailsErrors.missing };
  }
  const field = path.join('.');
  return {
    field,
    error: path[1] === 'pincode' ? PersonalDetailsErrors.pincodeInvalid : PersonalDetailsErrors.invalid,
  };
}

/** Several rules of one field may refuse with the same error. */
function unique(failures: readonly DetailFailure[]): DetailFailure[] {
  return [
    ...new Map(failures.map((failure) => [`${failure.field} ${failure.error.code}`, failure])).values(),
  ];
}
