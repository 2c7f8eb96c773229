import { v7 as uuidv7 } from 'uuid';
import { CheckFault, isRefused, type VendorCheck } from '../../../integrations/index.js';
import type { PanLookup, PanQuery } from '../pan-registry.port.js';
import { CashfreePanAdapter } from './cashfree/cashfree-pan.adapter.js';
import type { CashfreePanClient } from './cashfree/cashfree-pan.client.js';
import type { HttpPanRegistryAdapter } from './http/http-pan-registry.adapter.js';
import { SetuPanAdapter } from './setu/setu-pan.adapter.js';
import type { SetuPanClient } from './setu/setu-pan.client.js';

interface Registry {
  lookUp(query: PanQuery, reference: string): Promise<PanLookup>;
}

/** Makes a whole look-up, as for a customer. */
const panLookUpCheck = (registry: Registry, cost: string, person: PanQuery): VendorCheck => ({
  name: 'PAN look-up',
  paid: {
    cost,
    needs: ['pan', 'date_of_birth'],
    testValues: { pan: person.pan, date_of_birth: person.dateOfBirth },
  },
  run: async ({ pan = '', date_of_birth: dateOfBirth = '' }) => {
    const { outcome } = await registry.lookUp({ pan, dateOfBirth }, uuidv7());
    if (outcome === 'verified' || outcome === 'dob-differs') return `outcome ${outcome}`;
    throw new CheckFault(
      `the PAN of a known person is ${outcome}`,
      'Check the PAN that was given. If it is right, ask the vendor whether the product is live for our account.',
    );
  },
});

/** A person that the sandbox generates. */
const TEST_PERSON = { pan: 'ABCPK1234F', dateOfBirth: '1990-01-01' };

export const httpPanChecks = (registry: HttpPanRegistryAdapter): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // our format refuses a PAN of one letter before any look-up
    run: () => isRefused(registry.lookUp({ ...TEST_PERSON, pan: 'X' }), /: invalid_request$/),
  },
  panLookUpCheck(registry, 'one call', TEST_PERSON),
];

const SETU_PERSON = { pan: 'ABCDE1234A', dateOfBirth: '1990-01-01' };

export const setuPanChecks = (client: SetuPanClient): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // Setu refuses a short reason before any look-up
    run: () => isRefused(client.verify(SETU_PERSON.pan, 'short'), /: insufficient_reason_length$/),
  },
  panLookUpCheck(new SetuPanAdapter(client), 'one call', SETU_PERSON),
];

/** Cashfree refuses a PAN of one letter before any look-up. */
const REFUSED = /: pan_[a-z_]+$/;
const NOBODY = { pan: 'X', name: 'Nobody', dob: '1990-01-01' };

/** Each of the two calls is a product that Cashfree has to enable. */
export const cashfreePanChecks = (client: CashfreePanClient): readonly VendorCheck[] => [
  {
    name: 'credentials, for pan',
    run: () => isRefused(client.reveal(NOBODY.pan, uuidv7()), REFUSED),
  },
  {
    name: 'credentials, for pan-lite',
    run: () => isRefused(client.match(NOBODY, uuidv7()), REFUSED),
  },
  panLookUpCheck(new CashfreePanAdapter(client), 'two calls (pan and pan-lite)', {
    pan: 'ABCPV1234D',
    dateOfBirth: '1990-01-01',
  }),
];
