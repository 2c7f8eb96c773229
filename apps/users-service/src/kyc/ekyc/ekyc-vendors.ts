import { checkedVendor, type VendorsOf } from '../../integrations/index.js';

/** The providers of eKYC, for the command `doctor`: what they do concerns a person, so they are only reached. */
export const ekycVendors: VendorsOf = (_config, clients) =>
  (['aadhaar', 'document-locker', 'ekyc'] as const).map((provider) =>
    checkedVendor('ekyc', clients.of(provider).address, []),
  );
