import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CommandError } from '../run-cli.js';

/** Formats of names and reasons, which keep free text out of the records. */
const NAME = /^[a-z][a-z-]{1,30}$/;
const REASON = /^[A-Z][A-Z0-9_]{2,59}$/;
/** A PAN, or as many digits as the shortest account number has: a phone and an Aadhaar number have more. */
const PERSONAL = /[A-Z]{5}\d{4}[A-Z]|\d{9}/;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

type Options = NonNullable<ParseArgsConfig['options']>;
type ValuesOf<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** Options of `parseArgs`. */
export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean', default: false } as const;
/** For commands that record their operator. */
export const OPERATOR_OPTIONS = { by: TEXT, reason: TEXT } as const;

/** Who acts by which command, and why. */
export interface Operator {
  readonly command: string;
  readonly by: string;
  readonly reason: string;
}

/** Help text for both options. */
export const OPERATOR_HELP =
  'NAME (lower-case letters) and WORD (capitals, digits, _: a ticket, say) are recorded.';

/** Reads operator and reason. @throws CommandError if either is missing or has the wrong format */
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
  return { command, by, reason };
}

/** Parses the arguments of a command that records its operator. @throws CommandError as `operatorOf` */
export function operatorArguments<O extends Options>(command: string, args: string[], options: O) {
  const { values } = parseArgs({ args, options: { ...OPERATOR_OPTIONS, ...(options as Options) } });
  return { values: values as ValuesOf<O>, operator: operatorOf(command, values) };
}

/**
 * Reads a time in ISO 8601 with its offset, without which it would mean others on other machines.
 * @param problem message of the error
 * @throws CommandError with that message
 */
export function timeOf(text: string, problem: string): Date {
  const time = new Date(text);
  if (!TIME.test(text) || Number.isNaN(time.getTime())) throw new CommandError(problem);
  return time;
}
