import { Body, HttpCode, Post } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { delayAnswer, throwIfFault } from '../../http/faults.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { KnownPeople } from './known-people.service.js';
import { personOf } from './person.js';

/** The registry requires the person's consent. */
const panVerification = z.object({
  pan: field.pan,
  date_of_birth: field.date,
  consent: z.object({ given: z.literal(true), purpose: z.string().min(1).max(500) }),
});

/** How long a slow look-up takes, in milliseconds. */
export const LOOKUP_MS = { slow: 5_000, very_slow: 8_000 } as const;

const INVALID = {
  status: 'INVALID',
  name: null,
  father_name: null,
  date_of_birth_match: false,
  aadhaar_link: 'NOT_APPLICABLE',
};

@OutsideApi('providers/pan')
export class PanRegistryController {
  constructor(
    private readonly effects: Effects,
    private readonly people: KnownPeople,
  ) {}

  /** Looks up a PAN. The registry charges for each look-up, even without a match. */
  @Post('verifications')
  @HttpCode(200)
  async verify(@Body() body: unknown): Promise<object> {
    const { pan, date_of_birth } = readBody(panVerification, body);
    const behaviour = throwIfFault(behaviourOf('pan', 'pan', pan));
    if (behaviour === 'no_money') throw new Refusal(403, 'no_money', 'The wallet is empty.');
    if (behaviour === 'error_inside')
      return { error: { type: 'internal', message: 'Something went wrong.' } };
    this.effects.record({ provider: 'pan', kind: 'lookup', subject: pan });
    if (behaviour === 'slow' || behaviour === 'very_slow') await delayAnswer(LOOKUP_MS[behaviour]);
    if (behaviour === 'not_found') throw new Refusal(404, 'not_found', 'There is no such PAN.');
    const reference = uuidv7();
    if (behaviour === 'invalid') return { reference, ...INVALID };
    this.people.meet(pan, date_of_birth);
    const { full, first, middle, last, father } = personOf(pan);
    return {
      reference,
      status: 'VALID',
      name: { full, first, middle, last },
      father_name: father,
      date_of_birth_match: behaviour !== 'birth_date_differs',
      aadhaar_link: behaviour === 'aadhaar_not_linked' ? 'NOT_LINKED' : 'LINKED',
    };
  }
}
