import type { Issuer } from '../../config/index.js';
import { DECLARATION_CODES, type DeclarationCode, DECLARATIONS } from './declarations.table.js';
import { DETAIL_FIELD_NAMES, DETAIL_FIELDS, type DetailField, type JsonSchema } from './fields.table.js';

/** Which fields and declarations somebody asks for, in the order of the tables. */
export interface AskedDetails {
  readonly fields: readonly DetailField[];
  readonly declarations: readonly DeclarationCode[];
}

/** What is required of a user who has chosen no issuer: what all of them ask for. */
export const ASKED_BY_ALL: AskedDetails = {
  fields: ['gender', 'occupation', 'communication_address', 'is_pep'],
  declarations: ['OWN_FUNDS'],
};

type DetailsOfIssuer = Pick<Issuer, 'slug' | 'personal_details'>;

/** @throws Error when an issuer asks for what no table describes: a service must not start with it */
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
 * JSON Schema (2020-12) of what an issuer asks for; without an issuer, of all that may be told, where only that is
 * required which every issuer asks for. Whoever fills in a form by it need not know the issuers.
 */
export function personalDetailsSchema(issuer: DetailsOfIssuer | undefined): JsonSchema {
  return schemaOf(askedBy(issuer), issuer ? askedBy(issuer).fields : DETAIL_FIELD_NAMES);
}

/**
 * The same for checking what is saved: another issuer may ask for what this one does not, so it is taken too where it
 * is valid.
 */
export function savedDetailsSchema(issuer: DetailsOfIssuer | undefined): JsonSchema {
  return schemaOf(askedBy(issuer), DETAIL_FIELD_NAMES);
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

/** A list that holds an acceptance of each declaration in its version of today. */
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
