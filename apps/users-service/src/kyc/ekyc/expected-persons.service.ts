import { Injectable } from '@nestjs/common';
import { PanClaims } from '../pan/pan-claims.repository.js';
import type { ExpectedPerson } from './ekyc-providers.port.js';
import type { EkycRequest } from './ekyc-requests.repository.js';

/** Whom an eKYC must be of: the holder of the PAN that the user has, or claims. */
@Injectable()
export class ExpectedPersons {
  constructor(private readonly claims: PanClaims) {}

  /** With the verification of the PAN. Null: no PAN has been verified. */
  async findByUserId(userId: string): Promise<(ExpectedPerson & { verificationId: string }) | null> {
    const holder = await this.claims.findClaimed(userId);
    if (!holder) return null;
    const { fullName: name, dateOfBirth, verificationId } = holder;
    return { name, dateOfBirth, verificationId };
  }

  /** Whom a request must be of; null when it began before a PAN was verified. */
  async ofRequest({ isCompared, userId }: EkycRequest): Promise<ExpectedPerson | null> {
    return isCompared ? this.findByUserId(userId) : null;
  }

  /**
   * Whether the success of a request counts. One that was begun before the PAN was known would be compared with nobody, or
   * with the holder of another PAN that the user had, and has to be done again.
   */
  async isOfUse({ status, comparedWith, userId }: EkycRequest): Promise<boolean> {
    if (status === 'FAILED') return false;
    return comparedWith === ((await this.findByUserId(userId))?.verificationId ?? null);
  }
}
