import { maskPhone, type SessionUser, type UserProfilePayload } from '@fd/contracts';

/** A user as the client that just logged in may see it. */
export function presentSessionUser(phone: string): SessionUser {
  return { phone: maskPhone(phone), is_pan_verified: false, is_email_verified: false };
}

/** The whole profile. What the journey has not learnt yet is null or false, never left out. */
export function presentProfile(userId: string, phone: string): UserProfilePayload {
  return {
    user_id: userId,
    phone: maskPhone(phone),
    email: null,
    pan: null,
    full_name: null,
    first_name: null,
    middle_name: null,
    last_name: null,
    father_name: null,
    dob: null,
    is_pan_verified: false,
    is_ekyc_verified: false,
    is_email_verified: false,
    is_bank_verified: false,
    bank: null,
    nominees_count: 0,
  };
}
