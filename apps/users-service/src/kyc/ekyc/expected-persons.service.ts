import { Injectable } from '@nestjs/common';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import type { ExpectedPerson } from './ekyc-providers.port.js';
import type { EkycRequest } from './ekyc-requests.repository.js';

/** Whom an eKYC must be of: the holder of the verified PAN. */
@Injectable()
export class ExpectedPersons {
  constructor(private readonly identities: IdentitiesRepository) {}

  /** Null: no PAN has been verified. */
  async findByUserId(userId: string): Promise<ExpectedPerson | null> {
    const identity = await this.identities.findByUserId(userId);
    return identity ? { name: identity.fullName, dateOfBirth: identity.dateOfBirth } : null;
  }

  /** Whom a request must be of; null when it began before a PAN was verified. */
  async ofRequest({ isCompared, userId }: EkycRequest): Promise<ExpectedPerson | null> {
    return isCompared ? this.findByUserId(userId) : null;
  }

  /**
   * Whether the success of a request counts. One that was begun before the PAN was known would be compared with nobody,
   * and has to be done again once there is somebody.
   */
  async isOfUse({ status, isCompared, userId }: EkycRequest): Promise<boolean> {
    if (status === 'FAILED') return false;
    return isCompared === ((await this.findByUserId(userId)) !== null);
  }
}
