import { ProviderError } from '@fd/errors';
import { v4 as uuidv4 } from 'uuid';
import { CheckFault, type VendorCheck } from '../../../../integrations/index.js';
import type { CashfreeLinkAdapter } from './cashfree-link.adapter.js';

/** Creates a link to verify the template. The link is not handed out and expires. */
export const kycLinkCheck = (adapter: CashfreeLinkAdapter, template: string): VendorCheck => ({
  name: 'KYC link',
  paid: {
    cost: 'one KYC link, if the vendor charges for unused links',
    needs: ['phone'],
    testValues: { phone: '919999999999' },
  },
  run: async ({ phone }) => {
    try {
      await adapter.open({ reference: uuidv4(), phone: phone! });
    } catch (error) {
      if (!(error instanceof ProviderError && error.failure === 'refused')) throw error;
      throw new CheckFault(
        `a link of the template ${template} is refused`,
        'Check that CASHFREE_KYC_TEMPLATE names a template in the dashboard of Cashfree that asks for the Aadhaar.',
      );
    }
    return 'a link was made';
  },
});
