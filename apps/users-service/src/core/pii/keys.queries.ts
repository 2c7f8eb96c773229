import { statement } from '@fd/platform';

/** Notes that a key is used; `isEncrypting`: for new values, now. Raw: what stays as it is depends on the row. */
export const NOTE_KEY = statement(
  { purpose: 'text', keyId: 'text', checkValue: 'bytea', isEncrypting: 'bool' },
  `INSERT INTO onboarding.keys_in_use AS k (purpose, key_id, check_value) VALUES (:purpose, :keyId, :checkValue)
   ON CONFLICT (purpose, key_id) DO UPDATE
     SET seen_at = CASE WHEN :isEncrypting THEN now() ELSE k.seen_at END, check_value = coalesce(k.check_value, :checkValue)`,
);
