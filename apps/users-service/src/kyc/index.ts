export { ExistingCustomersRepository } from './existing-customers/existing-customers.repository.js';
export { KycModule } from './kyc.module.js';
export { ekycVendors } from './ekyc/ekyc-vendors.js';
export { IdentitiesRepository, PAN_INDEX } from './pan/identities.repository.js';
export { panVendors } from './pan/adapters/pan-registries.js';
export { panCommand } from './pan/pan.command.js';
export type { PanNames } from './pan/pan-registry.port.js';
export type { PanIdentity } from './pan/sealed-identity.js';
