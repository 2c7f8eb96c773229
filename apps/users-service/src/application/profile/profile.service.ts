import { Injectable } from '@nestjs/common';
import { maskAccountNumber, maskEmail, maskPan, maskPhone, type UserProfilePayload } from '@fd/contracts';
import { BankAccountsRepository } from '../../banking/index.js';
import { UsersRepository } from '../../identity/index.js';
import { EkycRequestsRepository, IdentitiesRepository } from '../../kyc/index.js';
import { NomineesRepository } from '../nominees/nominees.repository.js';

/** Puts together what the features know of a user. It keeps nothing itself. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly ekycRequests: EkycRequestsRepository,
    private readonly bankAccounts: BankAccountsRepository,
    private readonly nominees: NomineesRepository,
  ) {}

  /** The whole profile. What the journey has not learnt yet is null or false, never left out. */
  async profile(userId: string): Promise<UserProfilePayload> {
    const email = await this.users.emailOf(userId);
    const identity = await this.identities.findByUserId(userId);
    const isEkycVerified = await this.ekycRequests.isVerifiedAnywhere(userId);
    const bank = await this.bankAccounts.findVerifiedByUserId(userId);
    return {
      user_id: userId,
      phone: maskPhone(await this.users.phoneOf(userId)),
      email: email ? maskEmail(email.email) : null,
      pan: identity ? maskPan(identity.pan) : null,
      full_name: identity?.fullName ?? null,
      first_name: identity?.firstName ?? null,
      middle_name: identity?.middleName ?? null,
      last_name: identity?.lastName ?? null,
      father_name: identity?.fatherName ?? null,
      dob: identity?.dateOfBirth ?? null,
      is_pan_verified: identity !== undefined,
      is_ekyc_verified: isEkycVerified,
      is_email_verified: email?.isVerified ?? false,
      is_bank_verified: bank !== undefined,
      bank: bank
        ? { account: maskAccountNumber(bank.account), ifsc: bank.ifsc, bank_name: bank.bankName }
        : null,
      nominees_count: await this.nominees.countByUserId(userId),
    };
  }
}
