import { Injectable } from '@nestjs/common';
import { maskAccountNumber, maskEmail, maskPan, maskPhone, type UserProfilePayload } from '@fd/contracts';
import { EntityManager } from 'typeorm';
import { AuditTrail, PiiCipher } from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { JourneyRepository } from '../../journey/index.js';
import type { PanNames } from '../../kyc/index.js';
import { READ_PROFILE } from './profile.queries.js';

/** The latest account that is verified and compared with the PAN, encrypted; null without one. */
type Bank = Readonly<Record<'bankId' | 'account' | 'bankName', string | null>>;

const NO_NAMES = { fullName: null, firstName: null, middleName: null, lastName: null, fatherName: null };

/** Reads a user's profile from the tables of all features. The first read completes the step HOME. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly manager: EntityManager,
    private readonly cipher: PiiCipher,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
    private readonly users: UsersRepository,
  ) {}

  /** Returns the whole profile, masked, and records the read. Unknown fields are null or false, never omitted. */
  async profile(userId: string): Promise<UserProfilePayload> {
    const read = { action: 'PROFILE_READ', subject: userId } as const;
    const [[found]] = await Promise.all([
      READ_PROFILE.rows(this.manager, { userId }),
      this.audit.isKnown(read) ? undefined : this.audit.record(this.manager, read),
    ]);
    // the user of a session always exists
    const row = found!;
    // with its event for the partner, or neither
    if (!row.isHomeDone)
      await this.manager.transaction((tx) => this.journey.completeOnce(tx, userId, 'HOME'));
    const names = this.open('identities', 'names', userId, row.names);
    const { fullName, firstName, middleName, lastName, fatherName } = names
      ? (JSON.parse(names) as PanNames)
      : NO_NAMES;
    const email = this.open('users', 'email', userId, row.email);
    const pan = this.open('identities', 'pan', userId, row.pan);
    return {
      user_id: userId,
      phone: maskPhone(this.open('users', 'phone', userId, row.phone)!),
      email: email && maskEmail(email),
      pan: pan && maskPan(pan),
      full_name: fullName,
      first_name: firstName,
      middle_name: middleName,
      last_name: lastName,
      father_name: fatherName,
      dob: this.open('identities', 'dob', userId, row.dob),
      is_pan_verified: pan !== null,
      is_ekyc_verified: row.isEkycVerified!,
      is_email_verified: email !== null,
      is_bank_verified: row.bankId !== null,
      bank: this.bankOf(row),
      nominees_count: row.nomineesCount!,
    };
  }

  /** The profile of a new user with the phone of this one: what an unconfirmed session sees. */
  async newProfile(userId: string): Promise<UserProfilePayload> {
    return {
      user_id: userId,
      phone: maskPhone(await this.users.phoneOf(userId)),
      ...{ email: null, pan: null, full_name: null, first_name: null, middle_name: null, last_name: null },
      ...{ father_name: null, dob: null, is_pan_verified: false, is_ekyc_verified: false },
      ...{ is_email_verified: false, is_bank_verified: false, bank: null, nominees_count: 0 },
    };
  }

  private bankOf({ bankId, account, bankName }: Bank): UserProfilePayload['bank'] {
    const given = bankId && this.open('bank_accounts', 'account', bankId, account);
    if (!given) return null;
    const { account: number, ifsc } = JSON.parse(given) as { account: string; ifsc: string };
    return { account: maskAccountNumber(number), ifsc, bank_name: bankName };
  }

  private open(table: string, column: string, id: string, sealed: string | null): string | null {
    return sealed && this.cipher.decrypt(sealed, { table, column, id });
  }
}
