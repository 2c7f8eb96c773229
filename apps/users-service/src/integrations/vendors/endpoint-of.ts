import type { VerificationProviderSettings } from '../../config/index.js';
import { ownFormat, type ProviderEndpoint } from '../providers/http-exchange.js';
import { cashfree } from './cashfree/cashfree.js';
import { setu } from './setu/setu.js';

export function endpointOf(settings: VerificationProviderSettings): ProviderEndpoint {
  switch (settings.kind) {
    case 'http':
      return ownFormat(settings);
    case 'cashfree':
      return cashfree(settings);
    case 'setu':
      return setu(settings);
  }
}
