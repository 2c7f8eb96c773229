import { Injectable } from '@nestjs/common';
import { PanErrors } from '@fd/errors';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import type { ExpectedPerson } from './ekyc-providers.port.js';
import { type EkycRequest, EkycRequestsRepository } from './ekyc-requests.repository.js';

/** The person that an eKYC must prove: the holder of the PAN that the user has or claims. */
@Injectable()
export class ExpectedPersons {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly requests: EkycRequestsRepository,
  ) {}

  /** Returns the person with the id of the PAN's verification; null without a verified PAN. */
  async findByUserId(userId: string): Promise<(ExpectedPerson & { verificationId: string }) | null> {
    const holder = await this.identities.findClaimed(userId);
    if (!holder) return null;
    const { fullName: name, dateOfBirth, verificationId } = holder;
    return { name, dateOfBirth, verificationId };
  }

  /**
   * Returns the person that a request must prove; null if no PAN was verified before it started and none is now;
   * undefined if its success no longer counts, because it failed or refers to no PAN or a former PAN of the user.
   */
  async ofRequest({ status, comparedWith, userId }: EkycRequest): Promise<ExpectedPerson | null | undefined> {
    if (status === 'FAILED') return undefined;
    const expected = await this.findByUserId(userId);
    return comparedWith === (expected?.verificationId ?? null) ? expected : undefined;
  }

  /** Whether the success of a request counts. */
  async stillCounts(request: EkycRequest): Promise<boolean> {
    return (await this.ofRequest(request)) !== undefined;
  }

  /** Whether a request has verified the user. @throws PanErrors.belongsToAnotherUser if its PAN belongs to another user permanently */
  async isVerified(request: EkycRequest | undefined): Promise<boolean> {
    if (request?.status !== 'VERIFIED' || !(await this.stillCounts(request))) return false;
    if (request.comparedWith === null || (await this.identities.findByUserId(request.userId))) return true;
    if (await this.requests.confirmAgain(request)) return true;
    throw PanErrors.belongsToAnotherUser();
  }
}
