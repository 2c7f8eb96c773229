import { v7 as uuidv7 } from 'uuid';
import { CheckFault, type CheckValues, type VendorCheck } from '../../../integrations/index.js';
import type { PanLookup, PanQuery } from '../pan-registry.port.js';

interface Registry {
  lookUp(query: PanQuery, reference: string): Promise<PanLookup>;
}

/** Makes a whole look-up, as for a customer. */
export const panLookUpCheck = (registry: Registry, cost: string, testValues: CheckValues): VendorCheck => ({
  name: 'PAN look-up',
  paid: { cost, needs: ['pan', 'dateOfBirth'], testValues },
  run: async ({ pan = '', dateOfBirth = '' }) => {
    const { outcome } = await registry.lookUp({ pan, dateOfBirth }, uuidv7());
    if (outcome === 'verified' || outcome === 'dob-differs') return `outcome ${outcome}`;
    throw new CheckFault(
      `the PAN of a known person is ${outcome}`,
      'Check the PAN that was given. If it is right, ask the vendor whether the product is live for our account.',
    );
  },
});
