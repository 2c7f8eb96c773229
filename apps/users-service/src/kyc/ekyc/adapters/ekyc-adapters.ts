import type { ProvidersConfig } from '../../../config/index.js';
import {
  checkedVendor,
  endpointOf,
  type ProviderClients,
  ProviderList,
  type VendorsOf,
} from '../../../integrations/index.js';
import type { DocumentLocker, HostedEkyc } from '../ekyc-providers.port.js';
import { HttpDocumentLockerAdapter } from './http/http-document-locker.adapter.js';
import { HttpHostedEkycAdapter } from './http/http-hosted-ekyc.adapter.js';

/** The providers of LOCKER_PROVIDERS, in their order. */
export function documentLockers(
  { locker }: Pick<ProvidersConfig, 'locker'>,
  clients: ProviderClients,
): ProviderList<DocumentLocker> {
  const adapters = locker.map((settings) => new HttpDocumentLockerAdapter(clients.at(endpointOf(settings))));
  return new ProviderList('LOCKER_PROVIDERS', adapters);
}

/** The providers of EKYC_PROVIDERS, in their order. */
export function hostedEkycs(
  { ekyc }: Pick<ProvidersConfig, 'ekyc'>,
  clients: ProviderClients,
): ProviderList<HostedEkyc> {
  const adapters = ekyc.map((settings) => new HttpHostedEkycAdapter(clients.at(endpointOf(settings))));
  return new ProviderList('EKYC_PROVIDERS', adapters);
}

/** The providers of eKYC, for the command `doctor`: what they do concerns a person, so they are only reached. */
export const ekycVendors: VendorsOf = ({ providers: { locker, ekyc } }, clients) =>
  [clients.of('aadhaar').address, ...locker.map(endpointOf), ...ekyc.map(endpointOf)].map((endpoint) =>
    checkedVendor('ekyc', endpoint, []),
  );
