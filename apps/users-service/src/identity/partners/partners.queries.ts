import { statement } from '@fd/platform';

/** Keeps a partner enabled until the transaction ends; fails if an operator has disabled it (`isRowMissing`). Raw: each login runs it. */
export const HOLD_PARTNER = statement(
  { partnerId: 'uuid' },
  `WITH held AS (
     SELECT id FROM onboarding.partners WHERE id = :partnerId AND disabled_at IS NULL FOR KEY SHARE
   )
   SELECT (1 / count(*))::int AS held FROM held`,
  { held: 'int4' },
);
