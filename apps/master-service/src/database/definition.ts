import type { DatabaseDefinition } from '@fd/platform';
import { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { IssuerEntity } from '../catalogue/issuer.entity.js';
import { RevisionEntity } from '../catalogue/revision.entity.js';
import { VehicleEntity } from '../catalogue/vehicle.entity.js';
import { CreateCatalogue1763700000000 } from './migrations/1763700000000-create-catalogue.js';

/** What this service keeps in PostgreSQL. */
export const CATALOGUE_DATABASE: DatabaseDefinition = {
  schema: 'catalogue',
  entities: [IssuerEntity, VehicleEntity, RevisionEntity, ApiKeyEntity],
  migrations: [CreateCatalogue1763700000000],
};
