import type { ErrorCode } from '@fd/errors';
import type { ProviderKind } from '../../config/index.js';

/**
 * What a person is told when a party is down, hangs, answers garbage or refuses our credentials: one code each.
 * Which of these it was is for operators: it stands in the log and in the metrics.
 */
export const UNAVAILABLE_CODES: Readonly<Record<ProviderKind, ErrorCode>> = {
  'pan-registry': 'SVCUSER2208',
  bank: 'SVCUSER2753',
  aadhaar: 'SVCUSER2404',
  'document-locker': 'SVCUSER2404',
  ekyc: 'SVCUSER2404',
  issuer: 'SVCUSER2403',
  mail: 'SVCUSER2508',
};
