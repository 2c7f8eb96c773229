import { Injectable } from '@nestjs/common';
import type { UserProfilePayload } from '@fd/contracts';
import { BankAccountsRepository } from '../../banking/index.js';
import { UsersRepository } from '../../identity/index.js';
import { EkycRequestsRepository, IdentitiesRepository } from '../../kyc/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';
import { presentProfile } from './profile.presenter.js';

/** Puts together what the features know of a user. It keeps nothing itself. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly ekycRequests: EkycRequestsRepository,
    private readonly bankAccounts: BankAccountsRepository,
    private readonly nominees: NomineesRepository,
    private readonly journey: JourneyRepository,
  ) {}

  /** The whole profile. Reading it is what the step HOME consists of. */
  async profile(userId: string): Promise<UserProfilePayload> {
    const profile = presentProfile({
      userId,
      phone: await this.users.phoneOf(userId),
      email: await this.users.emailOf(userId),
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
