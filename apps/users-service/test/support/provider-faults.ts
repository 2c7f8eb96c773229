import type { ProviderFailure } from '@fd/errors';
import { answersJson, type Behaviour, BEHAVIOURS, type ScriptedProvider } from './scripted-provider.js';

/** What can be wrong with any call to a vendor, and how its adapter says that the call failed. */
export const FAULTS: readonly [what: string, behaviour: Behaviour, failure: ProviderFailure][] = [
  ['refuses our key (401)', answersJson(401, { message: 'who are you' }), 'misconfigured'],
  ['refuses our address (403)', answersJson(403, { message: 'not from here' }), 'misconfigured'],
  ['has had too many calls (429)', answersJson(429, { message: 'slow down' }), 'unavailable'],
  ['is away (503)', answersJson(503, {}), 'unavailable'],
  ['fails (500)', answersJson(500, {}), 'timeout'],
  ['breaks in front (502)', answersJson(502, {}), 'timeout'],
  ['answers a web page', BEHAVIOURS.answersHtml, 'malformed'],
  ['answers nothing', BEHAVIOURS.answersNothing, 'malformed'],
  ['answers other JSON', answersJson(200, { status: 'fine' }), 'malformed'],
  ['answers 200 with an error inside', answersJson(200, { error: { code: 'x' }, code: 'x' }), 'malformed'],
  ['answers too much', BEHAVIOURS.answersHuge, 'malformed'],
  ['redirects', BEHAVIOURS.redirects, 'timeout'],
  ['breaks off', BEHAVIOURS.breaksOff, 'timeout'],
];

/** Answers one call after the other; the last answer again. */
export function inTurn(scripted: ScriptedProvider, behaviours: readonly Behaviour[]): Behaviour {
  const before = scripted.calls.length;
  return (response) => behaviours[Math.min(scripted.calls.length - before, behaviours.length) - 1]!(response);
}

/** A copy of an answer with one of its fields changed; a dot leads into a part. */
export function withField(answer: object, path: string, value: unknown): object {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop()!;
  keys.reduce((part, key) => part[key] as Record<string, unknown>, copy)[last] = value;
  return copy;
}
