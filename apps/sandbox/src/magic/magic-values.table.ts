/** How a provider behaves that does not simply do its work. */
export type Behaviour = 'unavailable' | 'silent';

/** Inputs in which a magic value is looked for. */
export type MagicInput = 'phone';

/** A value that makes something other than success happen. */
export interface MagicValue {
  /** Input that it is a value of, as people say it. */
  readonly what: string;
  readonly value: string;
  readonly effect: string;
  /** A value to try. */
  readonly sample: string;
  /** What the sandbox does about it. Without it the effect is made by users-service's setting OTP_TEST_RULES. */
  readonly plays?: { readonly input: MagicInput; readonly ending: string; readonly behaviour: Behaviour };
}

/** The one list of magic values: the sandbox behaves by it, and its page shows it. What is not listed succeeds. */
export const MAGIC_VALUES: readonly MagicValue[] = [
  {
    what: 'Phone',
    value: '919999900000 to 919999900099',
    effect: 'The code is always 123456.',
    sample: '919999900001',
  },
  {
    what: 'Phone, last four digits',
    value: '0408',
    effect: 'The code is dead on arrival: it is delivered, and refused as expired.',
    sample: '919876540408',
  },
  {
    what: 'Phone, last four digits',
    value: '0503',
    effect: 'Both SMS providers are down (503): no code can be sent.',
    sample: '919876540503',
    plays: { input: 'phone', ending: '0503', behaviour: 'unavailable' },
  },
  {
    what: 'Phone, last four digits',
    value: '0504',
    effect: 'Both SMS providers hang: they take the call and never answer it.',
    sample: '919876540504',
    plays: { input: 'phone', ending: '0504', behaviour: 'silent' },
  },
];

/** What the table says about an input; undefined for a value that simply succeeds. */
export function behaviourOf(input: MagicInput, value: string): Behaviour | undefined {
  return MAGIC_VALUES.find(({ plays }) => plays?.input === input && value.endsWith(plays.ending))?.plays
    ?.behaviour;
}
