import { CommandError } from '../run-cli.js';

/** Formats of names and reasons, which keep free text out of the records. */
const NAME = /^[a-z][a-z-]{1,30}$/;
const REASON = /^[A-Z][A-Z0-9_]{2,59}$/;
/** A PAN, or as many digits as the shortest account number has: a phone and an Aadhaar number have more. */
const PERSONAL = /[A-Z]{5}\d{4}[A-Z]|\d{9}/;

/** Options of `parseArgs` for commands that record their operator. */
export const OPERATOR_OPTIONS = { by: { type: 'string' }, reason: { type: 'string' } } as const;

/** Who acts, and why. */
export interface Operator {
  readonly by: string;
  readonly reason: string;
}

/** Help text for both options. */
export const OPERATOR_HELP =
  'NAME (lower-case letters) and WORD (capitals, digits, _: a ticket, say) are recorded.';

/** Operator and reason. @throws CommandError if either is missing or has the wrong format */
export function operatorOf(
  command: string,
  { by = '', reason = '' }: { readonly by?: string | undefined; readonly reason?: string | undefined },
): Operator {
  if (!NAME.test(by)) throw new CommandError(`${command}: --by must be a name of lower-case letters and -`);
  if (!REASON.test(reason))
    throw new CommandError(`${command}: --reason must be a word of capitals, digits and _`);
  // also if separated: P98765_43210
  if ([reason, reason.replaceAll('_', '')].some((text) => PERSONAL.test(text)))
    throw new CommandError(
      `${command}: --reason must hold no PAN, phone, Aadhaar or account number: it stays on record. Name a ticket of at most 8 digits.`,
    );
  return { by, reason };
}
