import { isRecord } from '@fd/contracts';
import {
  ADDRESS_FIELDS,
  type AddressField,
  DECLARATION_CODES,
  type DeclarationCode,
  DECLARATIONS,
  DETAIL_FIELD_NAMES,
  DETAIL_FIELDS,
  type DetailField,
  WRITTEN_FIELDS,
} from './details.table.js';

export type Address = Readonly<Partial<Record<AddressField, string>>>;
type FlagField = 'is_pep' | 'is_tax_resident_india_only';
type TextField = Exclude<DetailField, FlagField | 'communication_address'>;

/** Stored details of a person; each value has passed the schema of its field. */
export type Details = Readonly<
  Partial<Record<TextField, string> & Record<FlagField, boolean> & { communication_address: Address }>
>;

export interface Acceptance {
  readonly code: string;
  readonly version: string;
  readonly acceptedAt: Date;
}

/** Details to save, not validated yet. */
export interface Candidate {
  readonly details: Readonly<Partial<Record<DetailField, unknown>>>;
  readonly declarations: unknown;
}

/** Unvalidated input of a client. */
export type SentDetails = Readonly<Partial<Record<DetailField | 'declarations', unknown>>>;

/**
 * Merges sent values into the stored ones, field by field. Null and blank texts change nothing. An address is replaced
 * as a whole. Drops unknown fields.
 */
export function merged(stored: Details, accepted: readonly Acceptance[], sent: SentDetails): Candidate {
  const details: Partial<Record<DetailField, unknown>> = { ...stored };
  for (const name of DETAIL_FIELD_NAMES) {
    const value = tidied(name, sent[name]);
    if (value !== undefined) details[name] = value;
  }
  return { details, declarations: mergedDeclarations(accepted, sent.declarations) };
}

/** The acceptances among validated answers. */
export function acceptancesIn(declarations: unknown): DeclarationCode[] {
  const answers = Array.isArray(declarations) ? (declarations as unknown[]).filter(isRecord) : [];
  return DECLARATION_CODES.filter((code) =>
    answers.some(
      (answer) =>
        answer['code'] === code &&
        answer['version'] === DECLARATIONS[code].version &&
        answer['accepted'] === true,
    ),
  );
}

export function isCurrent({ code, version }: Pick<Acceptance, 'code' | 'version'>): boolean {
  return DECLARATION_CODES.some((known) => known === code && DECLARATIONS[known].version === version);
}

function tidied(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') {
    if (value.trim() === '') return undefined;
    return WRITTEN_FIELDS.includes(name) ? value.normalize('NFC').replace(/\s+/g, ' ').trim() : value;
  }
  return name === 'communication_address' && isRecord(value) ? tidiedAddress(value) : value;
}

function tidiedAddress(address: Readonly<Record<string, unknown>>): Partial<Record<string, unknown>> {
  const lines = Object.keys(ADDRESS_FIELDS).map((name) => [name, tidied(name, address[name])] as const);
  return Object.fromEntries(lines.filter(([, value]) => value !== undefined));
}

/** A new answer replaces earlier ones, and the last of several answers about a declaration counts. */
function mergedDeclarations(accepted: readonly Acceptance[], sent: unknown): unknown {
  if (sent !== undefined && sent !== null && !Array.isArray(sent)) return sent;
  const answers = ((sent ?? []) as unknown[]).filter((answer) => !isAboutUnknown(answer));
  const last = new Map<unknown, unknown>();
  for (const { code, version } of accepted.filter(isCurrent))
    last.set(code, { code, version, accepted: true });
  for (const answer of answers) last.set(isRecord(answer) ? (answer['code'] ?? answer) : answer, answer);
  return [...last.values()];
}

/** Whether an answer names an unknown declaration, which is ignored like any unknown field. */
function isAboutUnknown(answer: unknown): boolean {
  if (!isRecord(answer) || typeof answer['code'] !== 'string') return false;
  return !(DECLARATION_CODES as readonly string[]).includes(answer['code']);
}

export const CHECK_ORDER: readonly string[] = Object.keys(DETAIL_FIELDS).flatMap((name) =>
  name === 'communication_address'
    ? [name, ...Object.keys(ADDRESS_FIELDS).map((line) => `${name}.${line}`)]
    : [name],
);
