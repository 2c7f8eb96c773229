import { Body, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Effects } from '../../effects/effects.service.js';
import { field } from '../../http/fields.js';
import { OutsideApi } from '../../http/outside-api.decorator.js';
import { Refusal } from '../../http/refusal.js';
import { readBody } from '../../http/request.js';
import { delayAnswer, throwIfFault } from '../../http/faults.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { LOOKUP_MS } from '../../providers/pan-registry/pan-registry.controller.js';
import { KnownPeople } from '../../providers/pan-registry/known-people.service.js';
import { personOf } from '../../providers/pan-registry/person.js';
import { SETU, SETU_TRACE_ID as traceId } from './setu-dialect.js';

const request = z.object({ pan: field.pan, consent: z.string(), reason: z.string() });

/** The invalid test PAN of the vendor's documentation; its valid one is a normal PAN here. */
const TEST_PAN_NOT_VALID = 'ABCDE1234B';

/** Setu's PAN call, which is charged. Its requests contain neither a date of birth nor a reference. */
@OutsideApi('vendors/setu/api/verify/pan', SETU)
export class SetuPanController {
  constructor(
    private readonly effects: Effects,
    private readonly people: KnownPeople,
  ) {}

  @Post()
  async verify(@Body() body: unknown, @Res({ passthrough: true }) response: Response): Promise<object> {
    const { pan, consent, reason } = readBody(request, body);
    if (consent.toUpperCase() !== 'Y') throw new Refusal(400, 'consent_not_given', 'Consent must be given');
    if (reason.length < 20)
      throw new Refusal(400, 'insufficient_reason_length', 'Reason needs 20 characters');
    const behaviour = throwIfFault(behaviourOf('pan', 'pan', pan));
    response.status(200);
    if (behaviour === 'no_money') throw new Refusal(403, 'insufficient_balance', 'Wallet is empty');
    if (behaviour === 'error_inside')
      return { error: { code: 'upstream_service_error', detail: 'No answer', traceId } };
    this.effects.record({ provider: 'setu', kind: 'pan', subject: pan });
    if (behaviour === 'slow' || behaviour === 'very_slow') await delayAnswer(LOOKUP_MS[behaviour]);
    if (behaviour === 'not_found') {
      response.status(404);
      return { message: 'PAN not found.', verification: 'failed', traceId };
    }
    if (behaviour === 'invalid' || pan === TEST_PAN_NOT_VALID) {
      return { verification: 'failed', message: 'PAN is invalid', traceId };
    }
    this.people.meet(pan);
    const { full, first, middle, last } = personOf(pan);
    return {
      verification: 'success',
      message: 'PAN is valid',
      data: {
        full_name: full,
        first_name: first,
        middle_name: middle ?? '',
        last_name: last,
        category: 'Individual',
        aadhaar_seeding_status: behaviour === 'aadhaar_not_linked' ? 'NOT_LINKED' : 'LINKED',
      },
      traceId,
    };
  }
}
