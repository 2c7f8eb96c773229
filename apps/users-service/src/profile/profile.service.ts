import { Injectable } from '@nestjs/common';
import type { SessionUser, UserProfilePayload } from '@fd/contracts';
import { pipelined } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { BankAccountsRepository } from '../bank/bank-accounts.repository.js';
import { EmailsRepository } from '../email/emails.repository.js';
import { EkycRequestsRepository } from '../ekyc/ekyc-requests.repository.js';
import { JourneyRepository } from '../journey/journey.repository.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';
import { IdentitiesRepository } from '../pan/identities.repository.js';
import { presentProfile, presentSessionUser } from './profile.presenter.js';
import { type ClaimedUser, UsersRepository } from '../users/users.repository.js';

/** Puts together what the features know of a user. It keeps nothing itself. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly emails: EmailsRepository,
    private readonly ekycRequests: EkycRequestsRepository,
    private readonly bankAccounts: BankAccountsRepository,
    private readonly nominees: NomineesRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /** The whole profile. Reading it is what the step HOME consists of. */
  async profile(userId: string): Promise<UserProfilePayload> {
    const user = await this.users.findById(userId);
    const profile = presentProfile({
      userId,
      // a session's user is never deleted without its sessions: the foreign key sees to it
      phone: this.users.phoneOf(user!),
      email: await this.emails.of(userId),
      identity: await this.identities.of(userId),
      isEkycVerified: await this.ekycRequests.isVerifiedAnywhere(userId),
      bankAccount: await this.bankAccounts.verifiedOf(userId),
      nominees: await this.nominees.count(userId),
    });
    await this.noteVisit(userId);
    return profile;
  }

  /** What a client shows of a user who logs in, read in the login's transaction. */
  async atLogin(manager: EntityManager, { id, isNew }: ClaimedUser, phone: string): Promise<SessionUser> {
    // who has been made in this transaction has nothing yet
    if (isNew) return presentSessionUser(phone, { isPanVerified: false, isEmailVerified: false });
    const [isPanVerified, isEmailVerified] = await pipelined([
      this.identities.isVerified(id, manager),
      this.emails.isVerified(id, manager),
    ]);
    return presentSessionUser(phone, { isPanVerified, isEmailVerified });
  }

  private async noteVisit(userId: string): Promise<void> {
    const { HOME } = await this.journey.statesOf(userId);
    if (HOME?.state !== 'DONE') await this.journey.recordAlone({ userId, step: 'HOME', event: 'COMPLETED' });
  }
}
