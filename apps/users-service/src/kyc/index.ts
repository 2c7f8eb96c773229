export { EkycRequestsRepository } from './ekyc/ekyc-requests.repository.js';
export { EkycModule } from './kyc.module.js';
export { ExistingCustomersModule } from './existing-customers/existing-customers.module.js';
export { IdentitiesRepository } from './pan/identities.repository.js';
export type { PanIdentity } from './pan/identity.js';
export { PanModule } from './pan/pan.module.js';
