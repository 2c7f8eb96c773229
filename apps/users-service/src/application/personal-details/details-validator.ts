import { Injectable } from '@nestjs/common';
import { PersonalDetailsErrors, type Refusal } from '@fd/errors';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Issuer } from '../../config/index.js';
import { IssuerDirectory } from '../../journey/index.js';
import { type Candidate, CHECK_ORDER } from './details.js';
import {
  DECLARATION_CODES,
  type DeclarationCode,
  DECLARATIONS,
  DETAIL_FIELD_NAMES,
  DETAIL_FIELDS,
  type DetailField,
  type JsonSchema,
} from './details.table.js';

/** Required fields and declarations, in the order of the tables. */
interface AskedDetails {
  readonly fields: readonly DetailField[];
  readonly declarations: readonly DeclarationCode[];
}

/** Fields that all issuers require, for a user without an issuer. */
export const ASKED_BY_ALL: AskedDetails = {
  fields: ['gender', 'occupation', 'communication_address', 'is_pep'],
  declarations: ['OWN_FUNDS'],
};

type DetailsOfIssuer = Pick<Issuer, 'slug' | 'personal_details'>;

/** @throws Error if an issuer requires an unknown field; the service must not start then */
export function askedBy(issuer: DetailsOfIssuer | undefined): AskedDetails {
  if (!issuer) return ASKED_BY_ALL;
  const { required, declarations } = issuer.personal_details;
  const known: readonly string[] = [...DETAIL_FIELD_NAMES, ...DECLARATION_CODES];
  const unknown = [...required, ...declarations].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${issuer.slug} asks for unknown details: ${unknown.join(', ')}`);
  return {
    fields: DETAIL_FIELD_NAMES.filter((name) => required.includes(name)),
    declarations: DECLARATION_CODES.filter((code) => declarations.includes(code)),
  };
}

/**
 * JSON Schema (2020-12) of an issuer's fields; without an issuer, of all fields, of which those of every issuer are
 * required.
 */
export function personalDetailsSchema(issuer: DetailsOfIssuer | undefined): JsonSchema {
  return schemaOf(askedBy(issuer), issuer ? askedBy(issuer).fields : DETAIL_FIELD_NAMES);
}

function schemaOf({ fields, declarations }: AskedDetails, shown: readonly DetailField[]): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      ...Object.fromEntries(shown.map((name) => [name, DETAIL_FIELDS[name]])),
      declarations: declarationsSchema(declarations),
    },
    required: [...fields, ...(declarations.length > 0 ? ['declarations'] : [])],
  };
}

/** A list with an acceptance of the current version of each declaration. */
function declarationsSchema(codes: readonly DeclarationCode[]): JsonSchema {
  return {
    type: 'array',
    title: 'Declarations',
    items: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        version: { type: 'string' },
        accepted: { type: 'boolean' },
      },
      required: ['code', 'version', 'accepted'],
    },
    ...(codes.length > 0 ? { allOf: codes.map((code) => ({ contains: acceptanceOf(code) })) } : {}),
  };
}

function acceptanceOf(code: DeclarationCode): JsonSchema {
  const { version, text } = DECLARATIONS[code];
  return {
    type: 'object',
    description: text,
    properties: { code: { const: code }, version: { const: version }, accepted: { const: true } },
    required: ['code', 'version', 'accepted'],
  };
}

interface DetailFailure extends Refusal {
  /** `mother_name`, `communication_address.pincode`, `declarations.FATCA`. */
  readonly field: string;
}

@Injectable()
export class DetailsValidator {
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true });
  /** By issuer; without an issuer, for the fields of all. */
  private readonly compiled = new Map<string | undefined, ValidateFunction>();

  /** @throws Error if an issuer requires an unknown field */
  constructor(directory: IssuerDirectory) {
    directory.all.forEach(askedBy);
  }

  /** Problems for an issuer, in the order of checks; empty if valid. */
  failuresOf(issuer: Issuer | undefined, { details, declarations }: Candidate): DetailFailure[] {
    const validate = this.validatorFor(issuer);
    if (validate({ ...details, declarations })) return [];
    const codes = askedBy(issuer).declarations;
    const all = (validate.errors ?? []).map((error) => failureOf(error, codes));
    // declarations that cannot be read need no further reason
    const isUnreadable = all.some(({ field }) => field === 'declarations');
    const failures = isUnreadable ? all.filter(({ field }) => !field.startsWith('declarations.')) : all;
    const order = [...CHECK_ORDER, 'declarations', ...codes.map((code) => `declarations.${code}`)];
    return unique(failures).sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }

  /** Compiled at first use: compiling all takes a fifteenth of the service's start. */
  private validatorFor(issuer: Issuer | undefined): ValidateFunction {
    const known = this.compiled.get(issuer?.slug);
    if (known) return known;
    // also saves valid fields that only other issuers require
    const validate = this.ajv.compile(schemaOf(askedBy(issuer), DETAIL_FIELD_NAMES));
    this.compiled.set(issuer?.slug, validate);
    return validate;
  }
}

function failureOf(error: ErrorObject, declarations: readonly string[]): DetailFailure {
  const path = error.instancePath.split('/').slice(1);
  if (path[0] === 'declarations') {
    const missing = /\/allOf\/([0-9]+)\//.exec(error.schemaPath)?.[1];
    const part = missing === undefined ? [] : [declarations[Number(missing)]];
    return { field: ['declarations', ...part].join('.'), error: PersonalDetailsErrors.declarationMissing };
  }
  if (error.keyword === 'required') {
    const field = [...path, (error.params as { missingProperty: string }).missingProperty].join('.');
    return { field, error: PersonalDetailsErrors.missing };
  }
  const isPincode = path[1] === 'pincode';
  return {
    field: path.join('.'),
    error: isPincode ? PersonalDetailsErrors.pincodeInvalid : PersonalDetailsErrors.invalid,
  };
}

/** Several rules of a field may have the same error. */
function unique(failures: readonly DetailFailure[]): DetailFailure[] {
  return [
    ...new Map(failures.map((failure) => [`${failure.field} ${failure.error.code}`, failure])).values(),
  ];
}
