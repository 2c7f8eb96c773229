import type { DatabaseDefinition } from '@fd/platform';
import { API_KEYS } from '../api-keys/api-keys.repository.js';
import { ISSUERS, REVISIONS, VEHICLES } from '../catalogue/catalogue.repository.js';
import { CreateCatalogue1763700000000 } from './migrations/1763700000000-create-catalogue.js';
import { LimitApiKeys1763902000000 } from './migrations/1763902000000-limit-api-keys.js';
import { TellEarlyWithdrawal1763903250000 } from './migrations/1763903250000-tell-early-withdrawal.js';

export const CATALOGUE_DATABASE: DatabaseDefinition = {
  schema: 'catalogue',
  // commands write as the owner: an attacker in a replica can change neither rates nor keys
  rights: ['SELECT'],
  entities: [ISSUERS, VEHICLES, REVISIONS, API_KEYS],
  migrations: [CreateCatalogue1763700000000, LimitApiKeys1763902000000, TellEarlyWithdrawal1763903250000],
};
