import { statement } from '@fd/platform';

/**
 * Adds events, given as JSON. The ids are created here, under the lock of what has changed, so that they have the order of the changes. Raw:
 * a login with events would otherwise cost a quarter more.
 */
export const ADD_EVENTS = statement(
  { events: 'json' },
  `INSERT INTO onboarding.partner_events (id, partner_id, user_id, type, issuer_slug, step, status, reason_code)
   SELECT onboarding.uuid_v7(), "partnerId", "userId", type, issuer, step, status, "reasonCode"
     FROM json_to_recordset(:events) AS e ("partnerId" uuid, "userId" uuid, type text, issuer text, step text, status text, "reasonCode" text)`,
);

export const NUMBERED_AT_ONCE = 500;

/**
 * Gives the events of a partner their positions, in the order of their ids. The caller has locked the subscription, so positions have no
 * gaps and one reader who has seen a position misses no event before it. Raw: the counter and the rows change together.
 */
export const NUMBER_EVENTS = statement(
  { partnerId: 'uuid' },
  `
WITH batch AS (
  SELECT id, row_number() OVER (ORDER BY id) AS place FROM (
    SELECT id FROM onboarding.partner_events WHERE partner_id = :partnerId AND position IS NULL
     ORDER BY id LIMIT ${NUMBERED_AT_ONCE} FOR UPDATE) waiting
), counter AS (
  UPDATE onboarding.event_subscriptions SET last_position = last_position + (SELECT count(*) FROM batch)
   WHERE partner_id = :partnerId RETURNING last_position - (SELECT count(*) FROM batch) AS before
)
UPDATE onboarding.partner_events e SET position = counter.before + batch.place
  FROM batch, counter WHERE e.id = batch.id
RETURNING e.user_id AS "userId", e.type, e.issuer_slug AS issuer, e.reason_code AS "reasonCode"`,
  { userId: 'uuid', type: 'text', issuer: 'text?', reasonCode: 'text?' },
);
