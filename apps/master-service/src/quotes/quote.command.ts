import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Command, CommandError, say, TEXT } from '@fd/platform';
import { quoteFile, QuoteFileError } from './quote-file.js';

/** `quote --file FILE`: prints only the quotes of a file of inputs, as a JSON array. */
export const quoteCommand: Command = {
  name: 'quote',
  usage: '--file FILE',
  summary: 'Quotes the deposits of a JSON file, by the code that serves requests. Needs no database.',
  run(args) {
    const { file } = parseArgs({ args, options: { file: TEXT } }).values;
    if (!file) throw new CommandError('quote: --file must name a file');
    try {
      return say(JSON.stringify(quoteFile(readJson(file)), null, 2));
    } catch (error) {
      throw error instanceof QuoteFileError ? new CommandError(`${file}: ${error.message}`) : error;
    }
  },
};

function readJson(path: string): unknown {
  let problem = 'cannot be read';
  try {
    const text = readFileSync(path, 'utf8');
    problem = 'is not JSON';
    // some editors write a byte order mark, which JSON does not allow
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new QuoteFileError(`${problem} (${(error as Error).message})`, { cause: error });
  }
}
