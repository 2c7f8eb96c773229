export { KycModule } from './kyc.module.js';
export { IdentitiesRepository, type PanIdentity } from './pan/identities.repository.js';
export type { PanNames } from './pan/pan-registry.port.js';
