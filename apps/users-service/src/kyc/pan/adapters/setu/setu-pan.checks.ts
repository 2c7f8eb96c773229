import { isRefused, type VendorCheck } from '../../../../integrations/index.js';
import { panLookUpCheck } from '../pan-look-up.check.js';
import { SetuPanAdapter } from './setu-pan.adapter.js';
import type { SetuPanClient } from './setu-pan.client.js';

const TEST_PAN = 'ABCDE1234A';

export const setuPanChecks = (client: SetuPanClient): readonly VendorCheck[] => [
  {
    name: 'credentials',
    // Setu refuses a short reason before any look-up
    run: () => isRefused(client.verify(TEST_PAN, 'short'), /: insufficient_reason_length$/),
  },
  panLookUpCheck(new SetuPanAdapter(client), 'one call', { pan: TEST_PAN, dateOfBirth: '1990-01-01' }),
];
