import type { WireCall } from '../shell/sandbox-api.js';

/** Calls that the page keeps. */
export const KEPT_CALLS = 500;

type Load = (after: string | undefined, signal: AbortSignal) => Promise<readonly WireCall[]>;

/** Returns a function that loads all calls, newest first: the first time all, then only new ones, since their bodies are large. */
export function incrementally(load: Load): (signal: AbortSignal) => Promise<readonly WireCall[]> {
  let known: readonly WireCall[] = [];
  return async (signal) => {
    const fresh = await load(known[0]?.id, signal);
    if (fresh.length > 0) known = [...fresh, ...known].slice(0, KEPT_CALLS);
    return known;
  };
}

/** Whether a call was answered with a success. */
export const isSuccess = ({ status }: WireCall): boolean => status !== null && status < 400;

interface WireFilter {
  /** Empty: all. */
  readonly provider: string;
  /** Words that all occur in a call: in its provider, path, status, headers or bodies. */
  readonly search: string;
}

export function matching(calls: readonly WireCall[], { provider, search }: WireFilter): readonly WireCall[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return calls
    .filter((call) => provider === '' || call.provider === provider)
    .filter((call) => {
      if (words.length === 0) return true;
      const { kind, method, path, status, request_headers, request_body, response_body } = call;
      const headers = Object.entries(request_headers).map((header) => header.join(': '));
      const parts = [call.provider, kind, method, path, status ?? 'no answer', request_body, response_body];
      const text = [...parts, ...headers].join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    });
}

/** The providers of calls, in alphabetical order, with a selected one that has no calls yet. */
export function providersOf(calls: readonly WireCall[], selected: string): readonly string[] {
  return [...new Set([selected, ...calls.map(({ provider }) => provider)])].filter(Boolean).sort();
}

/** A body as a value where it is JSON, a form with a line for each field, any other text unchanged. */
export function readableBody(text: string, contentType = ''): unknown {
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return [...new URLSearchParams(text)].map(([name, value]) => `${name}: ${value}`).join('\n');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
