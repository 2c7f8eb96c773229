import { statement } from '@fd/platform';

/**
 * Returns the id of a user's open or opening lead with an issuer, locked by an update without effect, or of a new one with these terms.
 * Raw: the unique index decides between parallel calls, and one that ends meanwhile cannot come between.
 */
export const CLAIM_LEAD = statement(
  {
    ...{ id: 'uuid', userId: 'uuid', issuer: 'text' },
    ...{
      amount: 'numeric?',
      tenureDays: 'int4?',
      payoutFrequency: 'text?',
      source: 'text?',
      campaign: 'text?',
    },
  },
  `INSERT INTO onboarding.leads AS l
     (id, user_id, issuer_slug, state, amount, tenure_days, payout_frequency, source, campaign)
   VALUES (:id, :userId, :issuer, 'OPENING', :amount, :tenureDays, :payoutFrequency, :source, :campaign)
   ON CONFLICT (user_id, issuer_slug) WHERE state IN ('OPENING', 'OPEN') DO UPDATE SET state = l.state
   RETURNING id`,
  { id: 'uuid' },
);
