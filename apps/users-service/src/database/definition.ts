import type { DatabaseDefinition } from '@fd/platform';
import { Consent } from '../consents/consent.entity.js';
import { Partner } from '../partners/partner.entity.js';
import { RefreshToken } from '../sessions/refresh-token.entity.js';
import { Session } from '../sessions/session.entity.js';
import { User } from '../users/user.entity.js';
import { CreateLoginTables1763700000000 } from './migrations/1763700000000-create-login-tables.js';

/** Everything this service keeps in PostgreSQL. Migrations are append-only: a released one is never edited. */
export const ONBOARDING_DATABASE: DatabaseDefinition = {
  schema: 'onboarding',
  entities: [Consent, Partner, RefreshToken, Session, User],
  migrations: [CreateLoginTables1763700000000],
};
