import { Injectable } from '@nestjs/common';
import { PanErrors } from '@fd/errors';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import { PanClaims } from '../pan/pan-claims.repository.js';
import type { ExpectedPerson } from './ekyc-providers.port.js';
import { type EkycRequest, EkycRequestsRepository } from './ekyc-requests.repository.js';

/** The person that an eKYC must prove: the holder of the PAN that the user has or claims. */
@Injectable()
export class ExpectedPersons {
  constructor(
    private readonly claims: PanClaims,
    private readonly identities: IdentitiesRepository,
    private readonly requests: EkycRequestsRepository,
  ) {}

  /** With the verification of the PAN. Null: no PAN has been verified. */
  async findByUserId(userId: string): Promise<(ExpectedPerson & { verificationId: string }) | null> {
    const holder = await this.claims.findClaimed(userId);
    if (!holder) return null;
    const { fullName: name, dateOfBirth, verificationId } = holder;
    return { name, dateOfBirth, verificationId };
  }

  /**
   * Returns the person that a request must prove while its success still counts; null if it started before a PAN was verified and there is
   * none yet. Undefined: the request failed, or refers to no PAN or a former PAN of the user, and must be repeated.
   */
  async ofRequest({ status, comparedWith, userId }: EkycRequest): Promise<ExpectedPerson | null | undefined> {
    if (status === 'FAILED') return undefined;
    const expected = await this.findByUserId(userId);
    return comparedWith === (expected?.verificationId ?? null) ? expected : undefined;
  }

  /** Whether the success of a request counts. */
  async isOfUse(request: EkycRequest): Promise<boolean> {
    return (await this.ofRequest(request)) !== undefined;
  }

  /**
   * Whether a request has verified the user.
   * @throws PanErrors.belongsToAnotherUser when it was compared with a PAN that is another user's for good
   */
  async isVerified(request: EkycRequest | undefined): Promise<boolean> {
    if (request?.status !== 'VERIFIED' || !(await this.isOfUse(request))) return false;
    if (request.comparedWith === null || (await this.identities.findByUserId(request.userId))) return true;
    if (await this.requests.confirmAgain(request)) return true;
    throw PanErrors.belongsToAnotherUser();
  }
}
