import {
  maskAccountNumber,
  maskEmail,
  maskPan,
  maskPhone,
  type ProfileBank,
  type UserProfilePayload,
} from '@fd/contracts';
import type { BankAccount } from '../../banking/index.js';
import type { UserEmail } from '../../identity/index.js';
import type { PanIdentity } from '../../kyc/index.js';

/** What is known of a user; each part is undefined until its feature has learnt it. */
export interface KnownOfUser {
  readonly userId: string;
  readonly phone: string;
  readonly email: UserEmail | undefined;
  readonly identity: PanIdentity | undefined;
  readonly isEkycVerified: boolean;
  readonly bankAccount: BankAccount | undefined;
  /** How many. */
  readonly nominees: number;
}

/** The whole profile. What the journey has not learnt yet is null or false, never left out. */
export function presentProfile(known: KnownOfUser): UserProfilePayload {
  const { email, identity, bankAccount } = known;
  return {
    user_id: known.userId,
    phone: maskPhone(known.phone),
    email: email ? maskEmail(email.email) : null,
    pan: identity ? maskPan(identity.pan) : null,
    full_name: identity?.fullName ?? null,
    first_name: identity?.firstName ?? null,
    middle_name: identity?.middleName ?? null,
    last_name: identity?.lastName ?? null,
    father_name: identity?.fatherName ?? null,
    dob: identity?.dateOfBirth ?? null,
    is_pan_verified: identity !== undefined,
    is_ekyc_verified: known.isEkycVerified,
    is_email_verified: email?.isVerified ?? false,
    is_bank_verified: bankAccount !== undefined,
    bank: bankAccount ? presentBank(bankAccount) : null,
    nominees_count: known.nominees,
  };
}

function presentBank({ account, ifsc, bankName }: BankAccount): ProfileBank {
  return { account: maskAccountNumber(account), ifsc, bank_name: bankName };
}
