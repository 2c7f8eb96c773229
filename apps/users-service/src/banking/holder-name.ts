import { type BankSyncQuery, type BankSyncRequest, isNameWithoutDigits, isPrintable } from '@fd/contracts';
import { BankErrors, GeneralErrors } from '@fd/errors';

/**
 * The holder that a request names: the full name, else first and last name, else the name in the query; in composed characters
 * (NFC). Undefined means the holder of the PAN.
 * @throws BankErrors.fullNameInvalid, GeneralErrors.fieldInvalid for the name in the query, if no other is given
 */
export function holderName(body: BankSyncRequest, query: BankSyncQuery): string | undefined {
  const last = tidy(body.account_holder_last_name);
  const parts = [tidy(body.account_holder_first_name), last === '.' ? undefined : last];
  const joined = parts.filter((part) => part !== undefined).join(' ') || undefined;
  return tidy(body.account_holder_full_name) ?? joined ?? nameInQuery(query.account_holder_name);
}

const tidy = (given: string | null | undefined): string | undefined =>
  given?.normalize('NFC').trim().replace(/\s+/g, ' ') || undefined;

function nameInQuery(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const field = 'account_holder_name';
  if (typeof given !== 'string' || !isNameWithoutDigits(given)) throw BankErrors.fullNameInvalid({ field });
  if (!isPrintable(given)) throw GeneralErrors.fieldInvalid({ field });
  return tidy(given);
}
