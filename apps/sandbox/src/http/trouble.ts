import { setTimeout as sleep } from 'node:timers/promises';
import { isTrouble, type Trouble } from '../magic/magic-value.js';
import { Refusal } from './refusal.js';

/** How long a provider takes that is slow, beyond the time that our adapters give most calls. */
const SLOW_MS = 8_000;

/** A faulty answer: none, a web page, or XML. */
export class OddAnswer extends Error {
  constructor(readonly kind: 'silent' | 'garbled' | 'xml') {
    super(kind);
    this.name = 'OddAnswer';
  }
}

/**
 * Returns a behaviour that is not a fault.
 * @throws Refusal or OddAnswer, which the played API answers, when the behaviour is a fault
 */
export function unlessTrouble<Behaviour extends string>(
  behaviour: Behaviour | undefined,
): Exclude<Behaviour, Trouble> | undefined {
  if (!isTrouble(behaviour)) return behaviour as Exclude<Behaviour, Trouble> | undefined;
  const trouble: Trouble = behaviour;
  switch (trouble) {
    case 'unavailable':
      throw new Refusal(503, 'service_unavailable', 'The service cannot be reached at the moment.');
    case 'broken':
      throw new Refusal(500, 'internal', 'Something went wrong.');
    case 'garbled':
    case 'xml':
    case 'silent':
      throw new OddAnswer(trouble);
  }
}

/** Waits before the answer of a slow provider, which has done what it was asked. */
export const beSlow = (milliseconds = SLOW_MS): Promise<void> =>
  sleep(milliseconds, undefined, { ref: false });
