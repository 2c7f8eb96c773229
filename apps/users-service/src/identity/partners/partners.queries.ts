import { statement } from '@fd/platform';
import { isUnshared } from '../sessions/sessions.queries.js';

/** The partner with this URL, and the user of the phone, if any; no row: unknown or disabled partner. Raw: each login runs it. */
export const FIND_LOGIN = statement(
  {
    url: 'text',
    phoneIndex: 'bytea',
    confirmAfterDays: 'int4?',
    arePartnersSeparate: 'bool',
    aheadSeconds: 'float8',
  },
  `SELECT p.id AS "partnerId", p.url AS "partnerUrl", p.public_key AS "partnerKey", u.id AS "userId",
          u.blocked_at IS NOT NULL AS "isBlocked",
          -- null without the setting
          coalesce(u.last_login_at < now() + make_interval(secs => :aheadSeconds) - make_interval(days => :confirmAfterDays), false)
            AS "isDormant",
          coalesce(u.last_login_at < now() + make_interval(secs => :aheadSeconds) - interval '1 day', false) AS "isFirstOfDay",
          -- begun with another partner, and not shared with this one
          ${isUnshared('u.id', 'p.id')} AS "isUnshared"
     FROM onboarding.partners p LEFT JOIN onboarding.users u ON u.phone_index = :phoneIndex
    WHERE p.url = :url AND p.disabled_at IS NULL`,
  {
    partnerId: 'uuid',
    partnerUrl: 'text',
    partnerKey: 'jsonb',
    userId: 'uuid?',
    isBlocked: 'bool',
    isDormant: 'bool',
    isFirstOfDay: 'bool',
    isUnshared: 'bool',
  },
);

/** Keeps a partner enabled until the transaction ends; fails if an operator has disabled it (`isRowMissing`). Raw: each login runs it. */
export const HOLD_PARTNER = statement(
  { partnerId: 'uuid' },
  `WITH held AS (
     SELECT id FROM onboarding.partners WHERE id = :partnerId AND disabled_at IS NULL FOR KEY SHARE
   )
   SELECT (1 / count(*))::int AS held FROM held`,
  { held: 'int4' },
);
