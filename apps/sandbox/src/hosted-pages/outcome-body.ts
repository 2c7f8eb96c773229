import { BadRequestException } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { field } from '../http/fields.js';

/** The owner of the shown documents. */
export class GivenPerson {
  @ApiProperty({ type: String, example: 'Asha Kumari Rao' })
  readonly name: string;

  @ApiProperty({ type: String, format: 'date', example: '1990-04-21' })
  readonly date_of_birth: string;
}

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

const withPhone = z.object({
  phone: z
    .string()
    .regex(/^91[0-9]{10}$/)
    .optional(),
});

/**
 * Reads the phone that the provider reports from a body `{"phone":"91..."}`. Undefined without one.
 * @throws BadRequestException for another value
 */
export function readPhone(body: unknown): string | undefined {
  const given = withPhone.safeParse(body);
  if (given.success) return given.data.phone;
  throw new BadRequestException('Give "phone": 12 digits with the prefix 91.');
}

const withPerson = z.object({ person: field.expectedPerson });

/**
 * Reads the owner of the documents from a body `{"person":{"name","date_of_birth"}}`. Undefined without a person.
 * @throws BadRequestException for an incomplete person
 */
export function readPerson(body: unknown): z.output<typeof field.expectedPerson> | undefined {
  const given = withPerson.safeParse(body);
  if (given.success) return given.data.person ?? undefined;
  throw new BadRequestException('Give "person": {"name", "date_of_birth": "YYYY-MM-DD"}.');
}
