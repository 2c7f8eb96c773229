import { BadRequestException } from '@nestjs/common';

/**
 * Reads the outcome from a body `{"outcome":"..."}`.
 * @throws BadRequestException for an unknown outcome
 */
export function readOutcome<Outcome extends string>(outcomes: readonly Outcome[], body: unknown): Outcome {
  const given = typeof body === 'object' && body !== null && 'outcome' in body ? body.outcome : undefined;
  const outcome = outcomes.find((known) => known === given);
  if (!outcome) throw new BadRequestException(`Give "outcome": ${outcomes.join(', ')}.`);
  return outcome;
}
