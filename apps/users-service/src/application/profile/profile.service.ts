import { Injectable } from '@nestjs/common';
import type { UserProfilePayload } from '@fd/contracts';
import { BankAccountsRepository } from '../../banking/index.js';
import { EmailsRepository, UsersRepository } from '../../identity/index.js';
import { EkycRequestsRepository, IdentitiesRepository } from '../../kyc/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';
import { presentProfile } from './profile.presenter.js';

/** Puts together what the features know of a user. It keeps nothing itself. */
@Injectable()
export class ProfileService {
  // seven: each part of the profile belongs to another feature
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
      email: await this.emails.findByUserId(userId),
      identity: await this.identities.findByUserId(userId),
      isEkycVerified: await this.ekycRequests.isVerifiedAnywhere(userId),
      bankAccount: await this.bankAccounts.findVerifiedByUserId(userId),
      nominees: await this.nominees.count(userId),
    });
    await this.noteVisit(userId);
    return profile;
  }

  private async noteVisit(userId: string): Promise<void> {
    const { HOME } = await this.journey.statesOf(userId);
    if (HOME?.state !== 'DONE') await this.journey.record({ userId, step: 'HOME', event: 'COMPLETED' });
  }
}
