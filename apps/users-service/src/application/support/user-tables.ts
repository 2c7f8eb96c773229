/** A row by column, decrypted. */
export type UserRow = Readonly<Record<string, unknown>>;

/** Treatment of the rows of a user in one table. */
export interface UserTable {
  readonly table: string;
  /** Description for the page about exports. */
  readonly holds: string;
  /** SQL condition for rows `t` of the user in $1. Undefined: rows have no user. */
  readonly where: string | undefined;
  /** Why an export omits it. */
  readonly leftOut?: string;
  /** Columns that an export omits. */
  readonly hidden?: readonly string[];
  /**
   * Returns a row as an export shows it. Providers also answer about persons whose PAN or account number a user has
   * only typed in, so a value is null until it is proved that this person is the user.
   */
  readonly shown?: (row: UserRow) => UserRow;
  /** Why an erasure keeps it; without a reason the rows are deleted. */
  readonly kept?: string;
  /** Whether the rows belong to the KYC record of an opened deposit. */
  readonly isKyc?: true;
}

const OF_ACCOUNT = 't.account_id IN (SELECT id FROM onboarding.bank_accounts WHERE user_id = $1)';

const withheld = (row: UserRow, ...columns: string[]): UserRow => ({
  ...row,
  ...Object.fromEntries(columns.map((column) => [column, null])),
});

/** An account belongs to the user once the names of the user, the bank and the PAN match. */
const shownAccount = (row: UserRow): UserRow =>
  row['state'] === 'VERIFIED' && row['is_compared'] === true && row['name_review'] !== 'WAITING'
    ? row
    : withheld(row, 'name_at_bank', 'name_match');

/** Others may know the PAN or share the phone. */
function shownCustomer(row: UserRow): UserRow {
  const matchedOn = row['matched_on'] as readonly string[];
  const isProved = ['PAN', 'PHONE'].every((of) => matchedOn.includes(of));
  return isProved ? row : withheld(row, 'customer_id', 'is_kyc_complete', 'matched_on');
}

/** Without the first answer of the registry, which it gives before another user of the PAN is known. */
function shownCheck(row: UserRow): UserRow {
  const { paid: _, ...claim } = (row['claim'] ?? {}) as UserRow;
  return row['claim'] ? { ...row, claim } : row;
}

function shownErasure(row: UserRow): UserRow {
  const record = (row['kyc_record'] ?? {}) as Readonly<Record<string, readonly UserRow[]>>;
  const tables = Object.entries(record).map(([name, rows]) => {
    const table = TABLES.find((candidate) => candidate.table === name);
    return [name, rows.map((kept) => table?.shown?.(kept) ?? kept)];
  });
  return row['kyc_record'] ? { ...row, kyc_record: Object.fromEntries(tables) } : row;
}

/** Why ids and texts of the service outlive the person: nothing identifies the person of an id any more. */
const PROOF = 'proof of the actions; contains only ids and texts of the service';

/** `where` is by `user_id`, unless given. */
const TABLES: readonly (Omit<UserTable, 'where'> & Partial<UserTable>)[] = [
  {
    table: 'refresh_tokens',
    holds: 'hashes of the tokens of sessions',
    where: 't.session_id IN (SELECT id FROM onboarding.sessions WHERE user_id = $1)',
    leftOut: 'hashes, which contain no data',
  },
  { table: 'sessions', holds: 'logins: partner, name of the device, times, reasons of their end' },
  { table: 'locker_sessions', holds: 'document-locker sessions, with their links' },
  {
    table: 'ekyc_requests',
    holds: 'eKYC requests with their outcome, last digits of the Aadhaar',
    isKyc: true,
  },
  { table: 'aadhaar_sends', holds: 'times of Aadhaar codes in the last days' },
  { table: 'bank_syncs', holds: 'registrations of bank accounts at issuers', where: OF_ACCOUNT, isKyc: true },
  {
    table: 'bank_withdrawals',
    holds: 'withdrawals of bank accounts from issuers',
    where: OF_ACCOUNT,
    isKyc: true,
  },
  {
    table: 'bank_accounts',
    holds: 'bank accounts, claimed names and names at the bank, their similarity',
    shown: shownAccount,
    isKyc: true,
  },
  { table: 'bank_checks', holds: 'times of bank verifications in the last days' },
  {
    table: 'contested_identities',
    holds: 'a claim to the PAN of another user',
    shown: (row) => withheld(row, 'names', 'aadhaar_seeding_status'),
  },
  {
    table: 'identities',
    holds: 'PAN, date of birth and names from the registry, and whether it compared the date of birth',
    isKyc: true,
  },
  { table: 'pan_lookups', holds: 'times of PAN look-ups in the last days' },
  {
    table: 'pan_checks',
    holds: 'PAN checks of the last days; PAN and date of birth of a pending one',
    shown: shownCheck,
  },
  { table: 'pan_notices', holds: 'short messages about a PAN taken over by its owner' },
  {
    table: 'existing_customers',
    holds: 'whether issuers know the person as a customer',
    shown: shownCustomer,
    isKyc: true,
  },
  {
    table: 'leads',
    holds: 'leads at issuers, their terms, and source and campaign from the app',
    isKyc: true,
  },
  { table: 'personal_details', holds: 'personal details', isKyc: true },
  { table: 'accepted_declarations', holds: 'accepted declarations, with versions and times', isKyc: true },
  { table: 'nominees', holds: 'nominees and their guardians' },
  { table: 'nominee_waivers', holds: 'declarations to name no nominee' },
  { table: 'insight_events', holds: 'events that the client reported' },
  { table: 'insight_days', holds: 'number of reported events for each day' },
  { table: 'journey_steps', holds: 'the steps and their states' },
  {
    table: 'users',
    holds: 'phone, verified email address, time of the first login, whether the user is blocked',
    where: 't.id = $1',
    isKyc: true,
  },
  { table: 'journey_events', holds: 'changes of the steps', kept: PROOF },
  {
    table: 'consents',
    holds: 'consents with time, partner and withdrawal',
    kept: 'proof of consent, required by the DPDP Act (section 6(10)); contains only ids, times, hashes of fact sheets and a keyed hash of the IP address; withdrawn by the erasure, and deleted 7 years later',
  },
  {
    table: 'audit_events',
    holds: 'actions on data of the person, with their actors',
    where: 't.subject_user_id = $1',
    hidden: ['proof', 'hash'],
    kept: `${PROOF}; 400 days`,
  },
  {
    table: 'audit_unsealed',
    holds: 'audit events of the last seconds, not yet sealed',
    where: 't.subject_user_id = $1',
    hidden: ['proof'],
    kept: `${PROOF}; sealed within seconds`,
  },
  {
    table: 'erased_users',
    holds: 'the erasure of the user, and the KYC record of an opened deposit',
    shown: shownErasure,
    kept: 'proof of the erasure; the KYC record of an opened deposit is kept for the period of the PMLA (section 12), and then deleted',
  },
  {
    table: 'bank_mismatches',
    holds: 'times of mismatches with the name at the bank in the last days',
    kept: 'limits guesses at the name of the holder of an account; contains only ids, times and a keyed hash of the account number; each is deleted a day later',
  },
  {
    table: 'idempotent_calls',
    holds: 'answers to calls with an Idempotency-Key',
    where: undefined,
    leftOut: 'found by a keyed hash of the call, not by user; copies of exported data',
    kept: 'not found by user; each is deleted within 24 hours',
  },
  {
    table: 'otp_counts',
    holds: 'counts of sent and tried codes in the last day',
    where: undefined,
    leftOut: 'found by a keyed hash of phone or address, not by user',
    kept: 'not found by user; each is deleted a day after its last use',
  },
];

/**
 * Every table with data of users, in the order of deletion by an erasure: referring tables first. A test compares it
 * with the schema, so that a new table fails until it is listed here.
 */
export const USER_TABLES: readonly UserTable[] = TABLES.map((table) => ({
  where: 't.user_id = $1',
  ...table,
}));

/** Tables without data of users, and why. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  partners: 'companies and their keys',
  keys_in_use: 'ids of keys',
  audit_checkpoints: 'hashes of the audit trail',
  migrations: 'changes of the schema',
  webhooks: 'hashes of webhooks',
};
