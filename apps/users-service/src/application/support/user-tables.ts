/** Treatment of the rows of a user in one table. */
export interface UserTable {
  readonly table: string;
  /** Description for the page about exports. */
  readonly holds: string;
  /** SQL about the row `t`: whether it is one of the user in $1. Undefined: it cannot be told. */
  readonly where?: string;
  /** Why an export leaves it out. */
  readonly leftOut?: string;
  /** Columns that an export leaves out. */
  readonly hidden?: readonly string[];
  /** Why an erasure leaves it; without a reason the rows are deleted. */
  readonly kept?: string;
  /** Whether the rows belong to the KYC record of an opened deposit. */
  readonly isKyc?: true;
}

const OF_USER = 't.user_id = $1';

/** Why ids and words of ours outlive the person: nothing is left that says who the id was. */
const PROOF = 'proof of what was done, which holds ids and words of ours only';

/**
 * Every table that holds something of users, in the order in which an erasure deletes rows: those that refer to others
 * first. A test holds it against the schema, so that a new table fails until it is decided on.
 */
export const USER_TABLES: readonly UserTable[] = [
  {
    table: 'refresh_tokens',
    holds: 'hashes of the tokens of sessions',
    where: 't.session_id IN (SELECT id FROM onboarding.sessions WHERE user_id = $1)',
    leftOut: 'hashes, which say nothing',
  },
  {
    table: 'sessions',
    holds: 'logins: partner, device as it names itself, times, and why they ended',
    where: OF_USER,
  },
  {
    table: 'locker_sessions',
    holds: 'visits to the document locker, with their links',
    where: OF_USER,
  },
  {
    table: 'ekyc_requests',
    holds: 'requests for eKYC with their outcome, last digits of the Aadhaar',
    where: OF_USER,
    isKyc: true,
  },
  { table: 'aadhaar_sends', holds: 'when Aadhaar codes were sent in the last days', where: OF_USER },
  {
    table: 'bank_syncs',
    holds: 'registrations of bank accounts at issuers',
    where: 't.account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)',
    isKyc: true,
  },
  {
    table: 'bank_withdrawals',
    holds: 'withdrawals of bank accounts from issuers',
    where: 't.account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)',
    isKyc: true,
  },
  {
    table: 'bank_accounts',
    holds: 'bank accounts, names given and at the bank, how well they match',
    where: OF_USER,
    isKyc: true,
  },
  { table: 'bank_checks', holds: 'when bank accounts were verified in the last days', where: OF_USER },
  {
    table: 'bank_mismatches',
    holds: 'when names did not match the one at a bank in the last days',
    where: OF_USER,
  },
  { table: 'contested_identities', holds: 'a claim to the PAN of another user', where: OF_USER },
  {
    table: 'identities',
    holds: 'PAN, date of birth and names, as the registry confirmed them',
    where: OF_USER,
    isKyc: true,
  },
  { table: 'pan_lookups', holds: 'when the PAN registry was asked in the last days', where: OF_USER },
  {
    table: 'pan_checks',
    holds: 'PAN checks of the last days; PAN and date of birth of one that is under way',
    where: OF_USER,
  },
  { table: 'pan_notices', holds: 'short messages about a PAN that was taken over', where: OF_USER },
  {
    table: 'existing_customers',
    holds: 'whether issuers know the person as a customer',
    where: OF_USER,
    isKyc: true,
  },
  {
    table: 'leads',
    holds: 'leads with issuers, their terms, and source and campaign as the app names them',
    where: OF_USER,
    isKyc: true,
  },
  { table: 'personal_details', holds: 'what the person told of themselves', where: OF_USER, isKyc: true },
  {
    table: 'accepted_declarations',
    holds: 'declarations that were accepted, with versions and times',
    where: OF_USER,
    isKyc: true,
  },
  { table: 'nominees', holds: 'nominees and their guardians', where: OF_USER },
  { table: 'nominee_waivers', holds: 'declarations to name nobody', where: OF_USER },
  { table: 'insight_events', holds: 'what the client reported of its use', where: OF_USER },
  { table: 'insight_days', holds: 'how many events were reported of each day', where: OF_USER },
  { table: 'journey_steps', holds: 'the steps and their states', where: OF_USER },
  {
    table: 'users',
    holds: 'phone, verified email address, when the person came, whether they are blocked',
    where: 't.id = $1',
    isKyc: true,
  },
  { table: 'journey_events', holds: 'how the steps came to be as they are', where: OF_USER, kept: PROOF },
  {
    table: 'consents',
    holds: 'what was agreed to, when, through whom, and what was withdrawn',
    where: OF_USER,
    kept: 'proof of consent, which the DPDP Act has us show (section 6(10)); it holds ids, times, hashes of fact sheets and a keyed hash of the IP address only',
  },
  {
    table: 'audit_events',
    holds: 'who did what to the data of the person',
    where: 't.subject_user_id = $1',
    hidden: ['proof', 'hash'],
    kept: `${PROOF}; 400 days`,
  },
  {
    table: 'audit_unsealed',
    holds: 'the same of the last seconds',
    where: 't.subject_user_id = $1',
    hidden: ['proof'],
    kept: `${PROOF}; sealed within seconds`,
  },
  {
    table: 'erased_users',
    holds: 'that the user was erased, and the KYC record of an opened deposit',
    where: OF_USER,
    kept: 'shows that it was done; the KYC record of an opened deposit is kept as the PMLA demands (section 12), and deleted then',
  },
  {
    table: 'idempotent_calls',
    holds: 'answers to calls with an Idempotency-Key, for their repeats',
    leftOut: 'found by a keyed hash of the call, not by user; copies of what is exported otherwise',
    kept: 'not found by user; each is deleted within 24 hours',
  },
  {
    table: 'otp_counts',
    holds: 'how often codes were sent and tried in the last day',
    leftOut: 'found by a keyed hash of phone or address, not by user',
    kept: 'not found by user; each is deleted a day after its last use',
  },
];

/** Tables that hold nothing of users, and why. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  partners: 'companies and their keys',
  keys_in_use: 'ids of keys',
  audit_checkpoints: 'hashes of the audit trail',
  migrations: 'changes of the schema',
  webhooks: 'hashes of webhooks',
};
