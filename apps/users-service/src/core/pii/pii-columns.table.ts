/** A column that holds personal data, encrypted for its row. */
export interface PiiColumn {
  readonly table: string;
  /** Without the ending `_encrypted` that it has in the database. */
  readonly column: string;
  /** Column whose value the encryption is bound to. */
  readonly id: string;
  /** Whether it holds several fields as JSON. */
  readonly isObject?: true;
}

/** Every encrypted column; a key rotation visits them all. A test compares the list with the schema. */
export const PII_COLUMNS: readonly PiiColumn[] = [
  { table: 'bank_accounts', column: 'account', id: 'id', isObject: true },
  { table: 'bank_accounts', column: 'holder', id: 'id', isObject: true },
  { table: 'bank_accounts', column: 'name_at_bank', id: 'id' },
  { table: 'contested_identities', column: 'dob', id: 'user_id' },
  { table: 'contested_identities', column: 'names', id: 'user_id', isObject: true },
  { table: 'contested_identities', column: 'pan', id: 'user_id' },
  { table: 'ekyc_requests', column: 'aadhaar', id: 'id', isObject: true },
  { table: 'ekyc_requests', column: 'redirect_url', id: 'id' },
  { table: 'ekyc_requests', column: 'url', id: 'id' },
  { table: 'erased_users', column: 'kyc_record', id: 'user_id', isObject: true },
  { table: 'existing_customers', column: 'customer_id', id: 'id' },
  { table: 'idempotent_calls', column: 'answer', id: 'id', isObject: true },
  { table: 'identities', column: 'dob', id: 'user_id' },
  { table: 'identities', column: 'names', id: 'user_id', isObject: true },
  { table: 'identities', column: 'pan', id: 'user_id' },
  { table: 'locker_sessions', column: 'url', id: 'id' },
  { table: 'nominees', column: 'person', id: 'id', isObject: true },
  { table: 'pan_checks', column: 'claim', id: 'id', isObject: true },
  { table: 'personal_details', column: 'details', id: 'user_id', isObject: true },
  { table: 'users', column: 'email', id: 'id' },
  { table: 'users', column: 'phone', id: 'id' },
];
