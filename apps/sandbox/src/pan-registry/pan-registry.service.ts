import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { Effects } from '../effects/effects.service.js';
import type { BehavioursOfParty, Trouble } from '../magic/magic-value.js';
import { Refusal } from '../wire/refusal.js';
import { wireField } from '../wire/wire-fields.js';
import { personOf } from './person.js';

/** The registry answers only about people who agreed to it. */
export const panVerification = z.object({
  pan: wireField.pan,
  date_of_birth: wireField.date,
  consent: z.object({ given: z.literal(true), purpose: z.string().min(1).max(500) }),
});

type Answers = Exclude<BehavioursOfParty['pan'], Trouble> | undefined;

@Injectable()
export class PanRegistryService {
  constructor(private readonly effects: Effects) {}

  /**
   * A look-up, which the registry charges each time, whatever it finds.
   * @throws Refusal `not_found`
   */
  lookUp(pan: string, behaviour: Answers): object {
    this.effects.record({ party: 'pan', kind: 'lookup', subject: pan });
    if (behaviour === 'not_found') throw new Refusal(404, 'not_found', 'There is no such PAN.');
    const reference = uuidv7();
    if (behaviour === 'invalid') return { reference, ...INVALID };
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

const INVALID = {
  status: 'INVALID',
  name: null,
  father_name: null,
  date_of_birth_match: false,
  aadhaar_link: 'NOT_APPLICABLE',
};
