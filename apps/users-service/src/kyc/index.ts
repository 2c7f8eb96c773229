export {
  ExistingCustomersRepository,
  issuersAskedAbout,
} from './existing-customers/existing-customers.repository.js';
export { KYC_CALLS } from './kyc.calls.js';
export { KYC_ENTITIES, KycModule } from './kyc.module.js';
export { ekycVendors } from './ekyc/adapters/ekyc-adapters.js';
export { isSameName, matchWeakest } from './name-matching/name-matching.js';
export type { NameMatch } from './name-matching/scoring.js';
export {
  IdentitiesRepository,
  type PanIdentity,
  type VerifiedIdentity,
} from './pan/identities.repository.js';
export { PAN_DEPENDENTS, type PanDependents } from './pan/pan-dependents.port.js';
export { PanHolder } from './pan/pan-holder.entity.js';
export { panVendors } from './pan/adapters/pan-registries.js';
export { identityTools, panCommand } from './pan/pan.command.js';
export type { PanNames } from './pan/pan-registry.port.js';
export { KYC_USER_DATA } from './user-data.table.js';
