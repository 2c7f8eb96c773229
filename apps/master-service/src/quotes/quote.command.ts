import { parseArgs } from 'node:util';
import { quoteFile, QuoteFileError, type QuoteFileResult } from './quote-file.js';

/** What the command needs of the world. */
export interface QuoteCommandIo {
  /** The text of a file; throws when it cannot be read. */
  readFile(path: string): string;
  stdout(text: string): void;
  stderr(text: string): void;
}

const USAGE = 'Usage: quote --file FILE';

/**
 * `quote --file FILE`: prints the quotes of a file of inputs as a JSON array, and nothing else, to stdout.
 * Returns the exit code: 0 done, 1 the file is not usable, 2 called wrongly; stderr says why.
 */
export function runQuoteCommand(argv: readonly string[], io: QuoteCommandIo): number {
  const path = fileArgument(argv);
  if (path === undefined) {
    io.stderr(`${USAGE}\n`);
    return 2;
  }
  try {
    io.stdout(`${JSON.stringify(quotesOf(path, io), null, 2)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof QuoteFileError)) throw error;
    io.stderr(`${path}: ${error.message}\n`);
    return 1;
  }
}

function fileArgument(argv: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...argv], options: { file: { type: 'string' } } }).values.file || undefined;
  } catch {
    return undefined;
  }
}

function quotesOf(path: string, io: QuoteCommandIo): QuoteFileResult[] {
  let text: string;
  try {
    text = io.readFile(path);
  } catch (error) {
    throw new QuoteFileError(`cannot be read (${(error as Error).message})`, { cause: error });
  }
  return quoteFile(parseJson(text));
}

function parseJson(text: string): unknown {
  try {
    // a byte order mark is no JSON, yet some editors write it
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new QuoteFileError(`is not JSON (${(error as Error).message})`, { cause: error });
  }
}
