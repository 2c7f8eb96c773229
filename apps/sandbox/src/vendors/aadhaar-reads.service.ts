import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Effects } from '../effects/effects.service.js';
import { BoundedMap } from '../http/bounded-map.js';
import { plantedFault } from '../http/planted-faults.js';
import { delayAnswer, OddAnswer } from '../http/faults.js';
import type { Behaviours } from '../magic/magic-value.js';
import { behaviourOf } from '../magic/magic-values.table.js';
import { KnownPeople } from '../providers/pan-registry/known-people.service.js';

/** Reads of people's Aadhaars at the vendors, and their charges. */
@Injectable()
export class AadhaarReads {
  /** Faults of the next read, by vendor and subject. */
  private readonly faults = new BoundedMap<string, Behaviours['locker']>();

  constructor(
    private readonly effects: Effects,
    private readonly people: KnownPeople,
  ) {}

  /** Sets the fault of the first read, by the PAN that was looked up last: the vendors get none. */
  expect(vendor: string, subject: string): void {
    const fault = behaviourOf('locker', 'pan', this.people.lastPan);
    if (fault) this.faults.set(`${vendor} ${subject}`, fault);
  }

  /**
   * Records each read as `aadhaar_read`, and its charge as `aadhaar`. No vendor documents whether a second read of the same
   * Aadhaar is charged, so both are played: one charge for each subject, or with the key `...!charge-each-read` one for each read.
   * @param subject the vendor's session, or the caller's reference of a link
   * @throws OddAnswer for the first read of a person with a magic PAN
   */
  async record(provider: string, subject: string, headers: IncomingHttpHeaders): Promise<void> {
    this.effects.record({ provider, kind: 'aadhaar_read', subject });
    const charge = { provider, kind: 'aadhaar', subject };
    if (plantedFault({ headers }) === 'charge-each-read') this.effects.record(charge);
    else this.effects.once({ ...charge, idempotencyKey: subject }, () => undefined);
    const fault = this.faults.get(`${provider} ${subject}`);
    this.faults.delete(`${provider} ${subject}`);
    if (fault === 'xml') throw new OddAnswer('xml');
    if (fault === 'slow') await delayAnswer();
  }
}
