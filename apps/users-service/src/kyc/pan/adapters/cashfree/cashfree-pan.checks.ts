import { v7 as uuidv7 } from 'uuid';
import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { panLookUpCheck } from '../pan-look-up.check.js';
import { CashfreePanAdapter } from './cashfree-pan.adapter.js';
import type { CashfreePanClient } from './cashfree-pan.client.js';

export const cashfreePanChecks = (client: CashfreePanClient): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // Cashfree refuses a PAN of one letter before any look-up
    run: () => isRefused(client.reveal('X', uuidv7()), ({ failure }) => failure === 'refused'),
  },
  panLookUpCheck(new CashfreePanAdapter(client), 'two calls (pan and pan-lite)', {
    pan: 'ABCPV1234D',
    dateOfBirth: '1990-01-01',
  }),
];
