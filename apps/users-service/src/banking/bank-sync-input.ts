import { type BankSyncQuery, type BankSyncRequest, isNameWithoutDigits, isPrintable } from '@fd/contracts';
import { BankErrors, GeneralErrors, IssuerErrors } from '@fd/errors';

/** A request to verify and register an account. */
export interface BankSyncInput {
  readonly account: string;
  readonly ifsc: string;
  /** Undefined means the PAN's holder. */
  readonly holderName: string | undefined;
  /** Undefined means the issuer that the user chose last. */
  readonly issuerCode: string | undefined;
}

/**
 * Reads a validated request. The holder is the full name, else first and last name, else the name in the query; in
 * composed characters (NFC).
 * @throws BankErrors.fullNameInvalid or GeneralErrors.fieldInvalid for the name in the query, when it is needed;
 * IssuerErrors.unknown for an issuer code that is not a text
 */
export function readBankSyncInput(body: BankSyncRequest, query: BankSyncQuery): BankSyncInput {
  const { account, ifsc, account_holder_full_name: full } = body;
  const last = nameOf(body.account_holder_last_name);
  const names = [nameOf(body.account_holder_first_name), last === '.' ? undefined : last];
  const joined = names.filter((name) => name !== undefined).join(' ') || undefined;
  return {
    account,
    ifsc,
    holderName: nameOf(full) ?? joined ?? nameInQuery(query.account_holder_name),
    issuerCode: issuerCodeIn(body.issuer_code) ?? issuerCodeIn(query.issuer_code),
  };
}

function nameOf(given: string | null | undefined): string | undefined {
  return given?.normalize('NFC').trim().replace(/\s+/g, ' ') || undefined;
}

function nameInQuery(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const field = 'account_holder_name';
  if (typeof given !== 'string' || !isNameWithoutDigits(given)) throw BankErrors.fullNameInvalid({ field });
  if (!isPrintable(given)) throw GeneralErrors.fieldInvalid({ field });
  return nameOf(given);
}

/** @throws IssuerErrors.unknown */
export function issuerCodeIn(given: unknown): string | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given !== 'string') throw IssuerErrors.unknown();
  return given;
}
