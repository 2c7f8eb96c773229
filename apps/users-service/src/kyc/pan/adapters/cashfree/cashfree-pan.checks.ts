import { v7 as uuidv7 } from 'uuid';
import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { panLookUpCheck } from '../pan-look-up.check.js';
import { CashfreePanAdapter } from './cashfree-pan.adapter.js';
import type { CashfreePanClient } from './cashfree-pan.client.js';

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
