import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { codesIn } from './raised-codes.config.js';

/** The file for recorded exchanges, from which `npm run api:examples` chooses the examples of the documents. */
const FILE = process.env['FD_TEST_EXCHANGES'];

/** A call that a test made, with its answer. */
interface TestExchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly sent: unknown;
  readonly status: number;
  readonly answered: unknown;
}

const known = new Set<string>();

/** Records one exchange of each kind for a test file: a kind is a route, a status and error codes. */
export function noteExchange(exchange: TestExchange): void {
  if (FILE === undefined) return;
  const spec = basename(expect.getState().testPath!);
  const codes = codesIn(exchange.answered);
  const route = exchange.path.split('?', 1)[0]!.replace(/[\w]{8}-[\w-]{27}/g, '{}');
  const kind = [spec, exchange.method, route, exchange.status, ...codes].join(' ');
  if (known.has(kind)) return;
  known.add(kind);
  // one write for each line, so that lines of parallel workers do not mix
  appendFileSync(FILE, `${JSON.stringify({ spec, at: Date.now(), codes, ...exchange })}\n`);
}
