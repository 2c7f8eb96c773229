import { statement } from '@fd/platform';

/** All data of the profile, encrypted, from a view over the tables of all domains. Raw: each visit of the app runs it. */
export const READ_PROFILE = statement(
  { userId: 'uuid' },
  `
SELECT phone, email, pan, dob, names, bank_account_id AS "bankId", account, bank_name AS "bankName", is_ekyc_verified AS "isEkycVerified",
       nominees_count AS "nomineesCount", is_home_done AS "isHomeDone"
  FROM onboarding.profiles WHERE user_id = :userId`,
  {
    phone: 'text?',
    email: 'text?',
    pan: 'text?',
    dob: 'text?',
    names: 'text?',
    bankId: 'uuid?',
    account: 'text?',
    bankName: 'text?',
    isEkycVerified: 'bool?',
    nomineesCount: 'int4?',
    isHomeDone: 'bool?',
  },
);
