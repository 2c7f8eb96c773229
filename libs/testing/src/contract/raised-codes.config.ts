import { appendFileSync } from 'node:fs';

/** Where the run's reporter wants the codes, if it does. */
const FILE = process.env['FD_TEST_ERROR_CODES'];

const known = new Set<string>();

interface Answer {
  readonly error?: unknown;
  readonly payload?: {
    readonly blockers?: readonly { readonly code: string }[];
    readonly warnings?: readonly string[];
    readonly pending_code?: string | null;
  };
}

/** Notes the catalogue codes that an answer carries, whether they refuse or only tell. */
export function noteRaisedCodes(body: unknown): void {
  for (const code of codesIn(body)) {
    if (FILE === undefined || known.has(code)) continue;
    known.add(code);
    // one line in one write: parallel workers do not mix
    appendFileSync(FILE, `${code}\n`);
  }
}

/** The catalogue codes that an answer carries: those that refuse, and those that it only tells. */
export function codesIn(body: unknown): string[] {
  const answer = body as Answer | undefined;
  const items = Array.isArray(answer?.error) ? (answer.error as { errorCode: string }[]) : [];
  const { blockers = [], warnings = [], pending_code: pending } = answer?.payload ?? {};
  return [
    ...items.map(({ errorCode }) => errorCode),
    ...(Array.isArray(blockers) ? blockers.map(({ code }) => code) : []),
    ...(Array.isArray(warnings) ? warnings : []),
    ...(typeof pending === 'string' ? [pending] : []),
  ];
}
