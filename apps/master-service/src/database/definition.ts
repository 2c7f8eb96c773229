import type { DatabaseDefinition } from '@fd/platform';
import { API_KEYS } from '../api-keys/api-keys.repository.js';
import { ISSUERS, REVISIONS, VEHICLES } from '../catalogue/catalogue.repository.js';
import { CreateCatalogue1764371000000 } from './migrations/1764371000000-create-catalogue.js';

export const CATALOGUE_DATABASE: DatabaseDefinition = {
  schema: 'catalogue',
  // commands write as the owner: an attacker in a replica can change neither rates nor keys
  rights: ['SELECT'],
  entities: [ISSUERS, VEHICLES, REVISIONS, API_KEYS],
  migrations: [CreateCatalogue1764371000000],
};
