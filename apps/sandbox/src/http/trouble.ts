import { isTrouble, type Trouble } from '../magic/magic-value.js';
import { Refusal } from './refusal.js';

/** A faulty answer: none, or a web page. */
export class OddAnswer extends Error {
  constructor(readonly kind: 'silent' | 'garbled') {
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
    case 'silent':
      throw new OddAnswer(trouble);
  }
}
