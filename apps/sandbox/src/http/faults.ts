import { setTimeout as sleep } from 'node:timers/promises';
import { isFault, type Fault } from '../magic/magic-value.js';
import { Refusal } from './refusal.js';

/** Delay of a slow provider, in milliseconds: longer than the timeout of most calls of our adapters. */
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
export function throwIfFault<Behaviour extends string>(
  behaviour: Behaviour | undefined,
): Exclude<Behaviour, Fault> | undefined {
  if (!isFault(behaviour)) return behaviour as Exclude<Behaviour, Fault> | undefined;
  const fault: Fault = behaviour;
  switch (fault) {
    case 'unavailable':
      throw new Refusal(503, 'service_unavailable', 'The service cannot be reached at the moment.');
    case 'broken':
      throw new Refusal(500, 'internal', 'Something went wrong.');
    case 'garbled':
    case 'xml':
    case 'silent':
      throw new OddAnswer(fault);
  }
}

/** Delays the answer of a slow provider, whose call has had its effect. */
export const delayAnswer = (milliseconds = SLOW_MS): Promise<void> =>
  sleep(milliseconds, undefined, { ref: false });
