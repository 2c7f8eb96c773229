import { type AppError, GeneralErrors } from '@fd/errors';
import type { NomineeAddress } from './nominee.js';

const LINES = ['line1', 'line2', 'city', 'state_code'] as const;
const MAX_LINE_LENGTH = 200;
const PINCODE = /^[1-9][0-9]{5}$/;

/**
 * Reads an address: one text, or an object of which any line may be missing, but not all.
 * @throws GeneralErrors.fieldInvalid on the field, or the line of it
 */
export function readAddress(value: unknown, field: string): NomineeAddress {
  if (typeof value === 'string') return { line1: readLine(value, field) };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(field);
  const input = value as Record<string, unknown>;
  const address: Partial<Record<keyof NomineeAddress, string>> = {};
  for (const line of LINES) {
    const text = input[line] ?? undefined;
    if (text !== undefined) address[line] = readLine(text, `${field}.${line}`);
  }
  const pincode = input['pincode'] ?? undefined;
  if (pincode !== undefined) address.pincode = readPincode(pincode, `${field}.pincode`);
  if (Object.keys(address).length === 0) throw refusal(field);
  return address;
}

function readLine(value: unknown, field: string): string {
  if (typeof value !== 'string' || value.length > MAX_LINE_LENGTH) throw refusal(field);
  const line = value.replace(/\s+/g, ' ').trim();
  if (line === '' || /\p{Cc}|\p{Surrogate}/u.test(line)) throw refusal(field);
  return line;
}

function readPincode(value: unknown, field: string): string {
  if (typeof value !== 'string' || !PINCODE.test(value)) throw refusal(field);
  return value;
}

const refusal = (field: string): AppError => GeneralErrors.fieldInvalid({ field });
