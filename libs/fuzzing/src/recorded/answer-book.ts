import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AnswerForm } from './answer-form.js';

/** Answers by the name of their call, in the order of the calls. */
export type AnswerBook = Map<string, AnswerForm>;

/** A part of an answer that differs from the recorded one. */
export interface Difference {
  readonly call: string;
  /** `status`, `headers.NAME`, or the path of a value in the body, such as `body.error.0.errorCode`; `body` if the status differs. */
  readonly at: string;
  /** The recorded value; undefined where there was none, and for a whole body. */
  readonly was?: unknown;
  /** Today's value; undefined where there is none. */
  readonly is?: unknown;
}

/** Adds an answer; a further call of the same name gets a number. */
export function noteAnswer(book: AnswerBook, name: string, answer: AnswerForm): void {
  let unused = name;
  for (let nth = 2; book.has(unused); nth++) unused = `${name} (${nth})`;
  book.set(unused, answer);
}

/** Books by the name of their list. */
export type Recording = ReadonlyMap<string, AnswerBook>;

/**
 * Writes JSON Lines: each set of headers and each answer once, then each call with its answer's id. Ids are hashes of what they
 * name, so that a change touches few lines.
 */
export function writeAnswers(file: string, recording: Recording): void {
  const headers = new Map<string, string>();
  const answers = new Map<string, string>();
  const calls = [...recording].flatMap(([list, book]) =>
    [...book].map(([call, answer]) => {
      const headersId = idOf(answer.headers);
      headers.set(headersId, JSON.stringify({ headers: headersId, values: answer.headers }));
      const { status, body } = answer;
      const id = idOf([status, headersId, body]);
      answers.set(id, JSON.stringify({ answer: id, status, with: headersId, body }));
      return JSON.stringify([list, call, id]);
    }),
  );
  writeFileSync(file, `${[...headers.values(), ...answers.values(), ...calls].join('\n')}\n`);
}

type Line =
  | [list: string, call: string, answer: string]
  | { readonly answer: string; readonly status: number; readonly with: string; readonly body: unknown }
  | { readonly headers: string; readonly values: Readonly<Record<string, string>> };

export function readAnswers(file: string): Recording {
  const recording = new Map<string, AnswerBook>();
  const headersById = new Map<string, AnswerForm['headers']>();
  const answers = new Map<string, AnswerForm>();
  for (const text of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const line = JSON.parse(text) as Line;
    if (Array.isArray(line)) {
      const [list, call, answer] = line;
      const book = recording.get(list) ?? new Map<string, AnswerForm>();
      recording.set(list, book.set(call, answers.get(answer)!));
    } else if ('answer' in line) {
      const { answer, status, with: headers, body } = line;
      answers.set(answer, { status, headers: headersById.get(headers)!, body });
    } else headersById.set(line.headers, line.values);
  }
  return recording;
}

const idOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 10);

/** Compares each recorded call. Calls that were not recorded, such as those of a new endpoint, are not compared. */
export function differencesBetween(recorded: AnswerBook, today: AnswerBook): Difference[] {
  return [...recorded].flatMap(([call, answer]): Difference[] => {
    const found = today.get(call);
    if (!found) return [{ call, at: 'call', was: 'made' }];
    const isOther = answer.status !== found.status;
    // of another answer altogether, the parts need no comparison
    const [was, is] = [answer, found].map(({ body, ...head }) =>
      leavesOf(isOther ? head : { ...head, body }),
    );
    const parts = [...new Set([...was!.keys(), ...is!.keys()])]
      .filter((at) => was!.get(at) !== is!.get(at))
      .map((at) => ({ call, at, was: parsed(was!.get(at)), is: parsed(is!.get(at)) }));
    return isOther ? [...parts, { call, at: 'body', is: found.body }] : parts;
  });
}

const parsed = (json: string | undefined): unknown => (json === undefined ? undefined : JSON.parse(json));

/** Members that name the items of a list of the contract: another item then moves no other. */
const NAMES = ['code', 'purpose'] as const;

/** The members of an object by name, and the items of a list by name if they have different ones, else by place. */
function membersOf(value: object): [name: string, member: unknown][] {
  if (!Array.isArray(value)) return Object.entries(value);
  const items = value as readonly Partial<Record<(typeof NAMES)[number], unknown>>[];
  for (const name of NAMES) {
    const names = items.map((item) => item?.[name]);
    if (names.every((given) => typeof given === 'string') && new Set(names).size === names.length)
      return items.map((item, place) => [names[place]!, item]);
  }
  return Object.entries(value);
}

/** The JSON text of each value that holds no others, by its path. */
function leavesOf(value: unknown, path: readonly string[] = []): Map<string, string> {
  const members = typeof value === 'object' && value !== null ? membersOf(value) : [];
  if (members.length === 0) return new Map([[path.join('.'), JSON.stringify(value)]]);
  return new Map(members.flatMap(([name, member]) => [...leavesOf(member, [...path, name])]));
}
