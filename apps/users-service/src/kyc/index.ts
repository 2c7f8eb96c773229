export { EkycRequestsRepository } from './ekyc/ekyc-requests.repository.js';
export { KycModule } from './kyc.module.js';
export { IdentitiesRepository, type PanIdentity } from './pan/identities.repository.js';
