import { appendFileSync } from 'node:fs';

/** The file for raised codes, if the run's reporter names one. */
const FILE = process.env['FD_TEST_ERROR_CODES'];

const known = new Set<string>();

interface Answer {
  readonly error?: unknown;
  readonly payload?: {
    readonly blockers?: readonly { readonly code: string }[];
    /** Objects as blockers in the booking check. */
    readonly warnings?: readonly (string | { readonly code: string })[];
    readonly pending_code?: string | null;
  };
}

/** Records the codes of the catalogue in an answer, in refusals and in pending answers. */
export function noteRaisedCodes(body: unknown): void {
  for (const code of codesIn(body)) {
    if (FILE === undefined || known.has(code)) continue;
    known.add(code);
    // one write for each line, so that lines of parallel workers do not mix
    appendFileSync(FILE, `${code}\n`);
  }
}

/** The codes of the catalogue in an answer: those of refusals and of pending answers. */
export function codesIn(body: unknown): string[] {
  const answer = body as Answer | undefined;
  const items = Array.isArray(answer?.error) ? (answer.error as { errorCode: string }[]) : [];
  const { blockers = [], warnings = [], pending_code: pending } = answer?.payload ?? {};
  return [
    ...items.map(({ errorCode }) => errorCode),
    ...(Array.isArray(blockers) ? blockers.map(({ code }) => code) : []),
    ...(Array.isArray(warnings) ? warnings.map((one) => (typeof one === 'string' ? one : one.code)) : []),
    ...(typeof pending === 'string' ? [pending] : []),
  ];
}
