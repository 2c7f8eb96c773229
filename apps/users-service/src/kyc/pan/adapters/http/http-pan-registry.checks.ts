import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { panLookUpCheck } from '../pan-look-up.check.js';
import type { HttpPanRegistryAdapter } from './http-pan-registry.adapter.js';

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
