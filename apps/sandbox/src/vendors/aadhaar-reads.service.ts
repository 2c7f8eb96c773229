import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Effects } from '../effects/effects.service.js';
import { plantedFault } from '../http/planted-faults.js';

/** Reads of people's Aadhaars at the vendors, and their charges. */
@Injectable()
export class AadhaarReads {
  constructor(private readonly effects: Effects) {}

  /**
   * Records each read as `aadhaar_read`, and its charge as `aadhaar`. No vendor documents whether a second read of the same
   * Aadhaar is charged, so both are played: one charge for each subject, or with the key `...!charge-each-read` one for each read.
   * @param subject the vendor's session, or the caller's reference of a link
   */
  record(provider: 'cashfree' | 'setu', subject: string, headers: IncomingHttpHeaders): void {
    this.effects.record({ provider, kind: 'aadhaar_read', subject });
    const charge = { provider, kind: 'aadhaar', subject };
    if (plantedFault({ headers }) === 'charge-each-read') this.effects.record(charge);
    else this.effects.once({ ...charge, idempotencyKey: subject }, () => undefined);
  }
}
