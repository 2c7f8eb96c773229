import type { Exchange, FuzzAnswer } from '../exchange.js';
import { type AnswerBook, noteAnswer } from './answer-book.js';
import { answerForm, type FormOptions } from './answer-form.js';

export interface RecordedCall {
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | object;
}

/** Calls a service, and notes each answer in a book. */
export class RecordedCalls {
  constructor(
    private readonly exchange: Exchange,
    private readonly book: AnswerBook,
    private readonly options: FormOptions,
    /** The beginning of the names of these calls. */
    private readonly title = '',
    private readonly defaults: Readonly<Record<string, string>> = {},
  ) {}

  titled(title: string): RecordedCalls {
    return new RecordedCalls(this.exchange, this.book, this.options, title, this.defaults);
  }

  /** @param defaults headers of all calls, such as credentials */
  with(defaults: Readonly<Record<string, string>>): RecordedCalls {
    return new RecordedCalls(this.exchange, this.book, this.options, this.title, defaults);
  }

  /** @param name of the call in the book; by default its method and path */
  async send(
    { method, target, headers, body }: RecordedCall,
    name = nameOf(method, target),
  ): Promise<FuzzAnswer> {
    const isObject = body !== undefined && !Buffer.isBuffer(body);
    const answer = await this.exchange.send(
      method,
      target,
      { ...this.defaults, ...(isObject ? { 'content-type': 'application/json' } : {}), ...headers },
      isObject ? Buffer.from(JSON.stringify(body)) : body,
    );
    // how often a client polls depends on the machine
    if (method.toUpperCase() !== 'GET' || answer.status !== 202) this.note(name, answer);
    return answer;
  }

  note(name: string, answer: FuzzAnswer): void {
    noteAnswer(
      this.book,
      this.title === '' ? name : `${this.title}: ${name}`,
      answerForm(answer, this.options),
    );
  }
}

/** Ids in the path differ between two runs. */
const nameOf = (method: string, target: string): string =>
  `${method.toUpperCase()} ${target.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '{id}')}`;
