import type { DatabaseDefinition } from '@fd/platform';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { IssuerProfile } from '../catalogue/issuer-profile.entity.js';
import { Revision } from '../catalogue/revision.entity.js';
import { Vehicle } from '../catalogue/vehicle.entity.js';
import { CreateCatalogue1764371000000 } from './migrations/1764371000000-create-catalogue.js';

export const CATALOGUE_DATABASE: DatabaseDefinition = {
  schema: 'catalogue',
  // commands write as the owner: an attacker in a replica can change neither rates nor keys
  rights: ['SELECT'],
  entities: [ApiKey, IssuerProfile, Revision, Vehicle],
  migrations: [CreateCatalogue1764371000000],
};
