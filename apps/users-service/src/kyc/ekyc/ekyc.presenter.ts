import type { EkycStatusPayload, LockerSessionPayload } from '@fd/contracts';
import type { Issuer } from '../../config/index.js';
import type { EkycRequest } from './ekyc-request.js';
import type { LockerSession } from './locker-sessions.repository.js';

export function presentVerified({ ekyc_method: method }: Issuer): EkycStatusPayload {
  return {
    is_ekyc_verified: true,
    ekyc_failed: false,
    ekyc_status: 'VERIFIED',
    ekyc_method: method,
    ekyc_expires_at: null,
  };
}

/** The issuer has the KYC of an existing customer: nothing is left to be done. */
export const presentSkipped = presentVerified;

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

export function presentLockerSession(
  { id, url, expiresAt, ekycRequestId }: LockerSession,
  isVerified: boolean,
): LockerSessionPayload {
  return {
    session_id: id,
    url: url!,
    status: isVerified ? 'AUTHORISED' : 'CREATED',
    is_ekyc_verified: isVerified,
    ekyc_request_id: ekycRequestId,
    expires_at: expiresAt!.toISOString(),
  };
}
