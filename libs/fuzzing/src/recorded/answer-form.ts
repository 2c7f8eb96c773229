import { createHash } from 'node:crypto';
import type { FuzzAnswer } from '../exchange.js';

/** An answer in which everything that differs between two runs is replaced. */
export interface AnswerForm {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value, or the text of another answer. */
  readonly body: unknown;
}

/** Decided by Node.js, not by the service. */
const UNRECORDED_HEADERS = ['content-length', 'date', 'keep-alive', 'transfer-encoding'];

/** Headers of which only the name is recorded. */
const CHANGING_HEADERS = /^(?:etag|retry-after|x-ratelimit-.*)$/;

/** Fields with random values, or whose numbers depend on the time of the call. */
const CHANGING_FIELD = /^(?:refresh_token|expires_in|retryAfterSeconds|x|y)$|_seconds$/;

/** Longer texts, such as pages, are recorded as their hash. */
const LONGEST_TEXT = 4_000;

const TOKEN = /\beyJ[\w-]+(?:\.[\w-]*){2,4}/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const HEX_ID = /\b[0-9a-f]{32}\b/g;
const ADDRESS = /\bhttps?:\/\/(?:127\.0\.0\.1|localhost):\d+/g;
const WAIT = /\b\d+ (second|minute|hour)s?\b/g;

export interface FormOptions {
  /** Finds days and times near the time of the run. */
  readonly times: RegExp;
  /** Finds ids that are the same in every run. */
  readonly fixedIds?: RegExp;
}

/** Replaces what differs between two runs. Equal ids of an answer get equal names. */
export function answerForm({ status, headers, text }: FuzzAnswer, options: FormOptions): AnswerForm {
  const names = new Map<string, string>();
  const named = (kind: string, value: string): string => {
    const known = names.get(value) ?? `<${kind} ${names.size + 1}>`;
    names.set(value, known);
    return known;
  };
  const ids = (id: string): string => (options.fixedIds?.test(id) ? id : named('id', id));
  const steady = (value: string): string =>
    value
      .replace(TOKEN, '<token>')
      .replace(options.times, '<time>')
      .replace(UUID, ids)
      .replace(HEX_ID, ids)
      .replace(ADDRESS, '<address>')
      .replace(WAIT, '<number> $1s');
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !UNRECORDED_HEADERS.includes(name))
        .map(([name, value]) => [name, CHANGING_HEADERS.test(name) ? '<any>' : steady(String(value))]),
    ),
    body: steadyBody(text, steady),
  };
}

function steadyBody(text: string, steady: (value: string) => string): unknown {
  try {
    return JSON.parse(text, (name, value: unknown) => {
      if (CHANGING_FIELD.test(name) && ['string', 'number'].includes(typeof value)) return `<${name}>`;
      return typeof value === 'string' ? shortened(steady(value)) : value;
    });
  } catch {
    return shortened(steady(text));
  }
}

const shortened = (text: string): string =>
  text.length > LONGEST_TEXT ? `sha256 ${createHash('sha256').update(text).digest('hex')}` : text;
