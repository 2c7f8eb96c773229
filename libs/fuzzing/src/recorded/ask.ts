import type { ApiDocument } from '../api-operations.js';
import { Exchange } from '../exchange.js';
import type { AnswerBook } from './answer-book.js';
import type { FormOptions } from './answer-form.js';
import { RecordedCalls } from './recorded-calls.js';

/** What a list of calls needs of a service. */
export interface Asked {
  readonly url: string;
  /** Its OpenAPI document. */
  readonly document: ApiDocument;
  readonly calls: RecordedCalls;
}

/** Makes calls that are the same in every run, one after the other. */
export type CallList = (asked: Asked) => Promise<void>;

/** Makes the calls of a list. Returns their answers. */
export async function ask(url: string, list: CallList, options: FormOptions): Promise<AnswerBook> {
  const exchange = new Exchange(url);
  try {
    const book: AnswerBook = new Map();
    const document = JSON.parse((await exchange.send('get', '/openapi.json')).text) as ApiDocument;
    await list({ url, document, calls: new RecordedCalls(exchange, book, options) });
    return book;
  } finally {
    exchange.close();
  }
}
