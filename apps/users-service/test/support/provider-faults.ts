import type { ProviderFailure } from '@fd/errors';
import { answersJson, type Behaviour, BEHAVIOURS, type ScriptedProvider } from './scripted-provider.js';

/** Faults of a vendor call, with the failure that its adapter must report. */
export const FAULTS: readonly [what: string, behaviour: Behaviour, failure: ProviderFailure][] = [
  ['refuses our key (401)', answersJson(401, { message: 'who are you' }), 'misconfigured'],
  ['refuses our address (403)', answersJson(403, { message: 'not from here' }), 'misconfigured'],
  ['throttles (429)', answersJson(429, { message: 'slow down' }), 'unavailable'],
  ['is down (503)', answersJson(503, {}), 'unavailable'],
  ['fails (500)', answersJson(500, {}), 'timeout'],
  ['fails at a proxy (502)', answersJson(502, {}), 'timeout'],
  ['answers a web page', BEHAVIOURS.answersHtml, 'malformed'],
  ['answers nothing', BEHAVIOURS.answersNothing, 'malformed'],
  ['answers other JSON', answersJson(200, { status: 'fine' }), 'malformed'],
  ['answers 200 with an error inside', answersJson(200, { error: { code: 'x' }, code: 'x' }), 'malformed'],
  ['answers too much', BEHAVIOURS.answersHuge, 'malformed'],
  ['redirects', BEHAVIOURS.redirects, 'timeout'],
  ['breaks off', BEHAVIOURS.breaksOff, 'timeout'],
];

/** Answers calls with the given behaviours in order, then repeats the last one. */
export function inTurn(scripted: ScriptedProvider, behaviours: readonly Behaviour[]): Behaviour {
  const before = scripted.calls.length;
  return (response) => behaviours[Math.min(scripted.calls.length - before, behaviours.length) - 1]!(response);
}

/** Returns a copy of an answer with one field changed; a dot in PATH separates levels. */
export function withField(answer: object, path: string, value: unknown): object {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop()!;
  keys.reduce((part, key) => part[key] as Record<string, unknown>, copy)[last] = value;
  return copy;
}
