import { BadRequestException } from '@nestjs/common';

/**
 * The outcome in a body `{"outcome":"..."}`.
 * @throws BadRequestException for any but the known ones
 */
export function readOutcome<Outcome extends string>(outcomes: readonly Outcome[], body: unknown): Outcome {
  const given = typeof body === 'object' && body !== null && 'outcome' in body ? body.outcome : undefined;
  const outcome = outcomes.find((known) => known === given);
  if (!outcome) throw new BadRequestException(`Give "outcome": ${outcomes.join(', ')}.`);
  return outcome;
}
