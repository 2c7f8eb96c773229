import { Body, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { BoundedMap } from '../../http/bounded-map.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { delayAnswer, throwIfFault } from '../../http/faults.js';
import type { Behaviours } from '../../magic/magic-value.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { LOOKUP_MS } from '../../providers/pan-registry/pan-registry.controller.js';
import { KnownPeople } from '../../providers/pan-registry/known-people.service.js';
import { personOf } from '../../providers/pan-registry/person.js';
import { CASHFREE } from './cashfree-dialect.js';

const verificationId = z.string().regex(/^[A-Za-z0-9._-]{1,50}$/);

const panOnly = z.object({ pan: field.pan });
const revealRequest = z.object({
  pan: field.pan,
  name: z.string().max(100).optional(),
  verification_id: verificationId.optional(),
});
const matchRequest = z.object({
  verification_id: verificationId,
  pan: field.pan,
  name: field.personName,
  dob: field.date,
});

/** The invalid test PANs of the vendor's documentation; its valid ones are normal PANs here. */
const TEST_PANS_NOT_VALID = ['DEFPV0126D', 'TUVPP5678W'];

/** Cashfree's PAN calls. Each is charged; a `verification_id` is accepted once, and its answer is not repeated. */
@OutsideApi('vendors/cashfree/verification', CASHFREE)
export class CashfreePanController {
  private readonly taken = new BoundedMap<string, true>();
  private lastReference = 161;

  constructor(
    private readonly effects: Effects,
    private readonly people: KnownPeople,
  ) {}

  /** The name of a PAN's holder. Unknown and invalid PANs have similar answers. */
  @Post('pan')
  @HttpCode(200)
  async reveal(@Body() body: unknown): Promise<object> {
    const { pan, verification_id } = readPan(revealRequest, body);
    const behaviour = behaviourFor(pan);
    if (behaviour === 'error_inside')
      return { type: 'internal_error', code: 'api_error', message: 'Something went wrong' };
    this.charge('pan', pan, verification_id);
    await delayIfSlow(behaviour);
    const answer = { reference_id: ++this.lastReference, pan, type: 'Individual' };
    if (behaviour === 'not_found' || behaviour === 'invalid' || TEST_PANS_NOT_VALID.includes(pan)) {
      const pan_status = behaviour === 'invalid' ? 'DEACTIVATED' : 'INVALID';
      return { ...answer, type: null, valid: false, message: 'Invalid PAN', registered_name: '', pan_status };
    }
    const { full, father } = personOf(pan);
    return {
      ...answer,
      valid: true,
      message: 'PAN verified successfully',
      registered_name: full,
      name_pan_card: full,
      father_name: father,
      name_provided: '',
      name_match_score: '',
      name_match_result: '',
      pan_status: 'VALID',
      aadhaar_seeding_status: seedingOf(behaviour),
    };
  }

  /** Whether a name and a date of birth match a PAN's holder. */
  @Post('pan-lite')
  @HttpCode(200)
  async match(@Body() body: unknown): Promise<object> {
    const { pan, name, dob, verification_id } = readPan(matchRequest, body);
    const behaviour = behaviourFor(pan);
    this.charge('pan_lite', pan, verification_id);
    await delayIfSlow(behaviour);
    const reference_id = ++this.lastReference;
    if (behaviour === 'not_found' || behaviour === 'invalid' || TEST_PANS_NOT_VALID.includes(pan)) {
      return {
        reference_id,
        verification_id,
        pan,
        status: 'INVALID',
        pan_status: behaviour === 'invalid' ? 'X' : 'N',
      };
    }
    this.people.meet(pan, dob);
    return {
      reference_id,
      verification_id,
      pan,
      status: 'VALID',
      pan_status: 'E',
      name_match: name.trim().toUpperCase() === personOf(pan).full ? 'Y' : 'N',
      dob_match: behaviour === 'birth_date_differs' ? 'N' : 'Y',
      aadhaar_seeding_status: seedingOf(behaviour),
    };
  }

  private charge(kind: string, pan: string, verificationId: string | undefined): void {
    if (verificationId !== undefined && this.taken.has(verificationId))
      throw new Refusal(409, 'verification_id_already_exists', 'verification_id already exists');
    if (verificationId !== undefined) this.taken.set(verificationId, true);
    this.effects.record({ provider: 'cashfree', kind, subject: pan, idempotencyKey: verificationId });
  }
}

/** Parses a body. Cashfree names the refused field in its code. */
function readPan<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  if (!panOnly.safeParse(body).success) throw new Refusal(400, 'pan_length_short', 'Enter valid PAN.');
  return readBody(shape, body);
}

function behaviourFor(pan: string): Behaviours['pan'] | undefined {
  const behaviour = throwIfFault(behaviourOf('pan', 'pan', pan));
  if (behaviour !== 'no_money') return behaviour;
  throw new Refusal(422, 'insufficient_balance', 'insufficient balance to process this request');
}

/** Each of the two calls of a look-up. */
async function delayIfSlow(behaviour: Behaviours['pan'] | undefined): Promise<void> {
  if (behaviour === 'slow' || behaviour === 'very_slow') await delayAnswer(LOOKUP_MS[behaviour]);
}

function seedingOf(behaviour: Behaviours['pan'] | undefined): string {
  return behaviour === 'aadhaar_not_linked' ? 'R' : 'Y';
}
