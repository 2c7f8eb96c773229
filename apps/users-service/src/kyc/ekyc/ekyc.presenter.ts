import type { EkycStatusPayload } from '@fd/contracts';
import type { Issuer } from '../../config/index.js';
import type { EkycRequest } from './ekyc-requests.repository.js';

/** Nothing is left to be done: verified, or skipped because the issuer has the KYC of an existing customer. */
export function presentVerified({ ekyc_method }: Issuer): EkycStatusPayload {
  return {
    is_ekyc_verified: true,
    ekyc_failed: false,
    ekyc_status: 'VERIFIED',
    ekyc_method,
    ekyc_expires_at: null,
  };
}

/** @param ended what this call found out about the request before, of which the client hears once */
export function presentRequest(request: EkycRequest, ended?: 'FAILED' | 'EXPIRED'): EkycStatusPayload {
  const status = request.status === 'IN_PROGRESS' ? 'IN_PROGRESS' : 'LINK_CREATED';
  return {
    is_ekyc_verified: false,
    ekyc_url: request.url!,
    ekyc_request_id: request.id,
    ekyc_failed: request.isRetry && status === 'LINK_CREATED',
    ekyc_status: ended ?? status,
    ekyc_method: request.method,
    ekyc_expires_at: request.expiresAt!.toISOString(),
  };
}
