import type { KycContextPayload, LeadPayload } from '@fd/contracts';
import type { KycContext } from '../../integrations/index.js';
import type { OpenLead } from './leads.service.js';

export function presentLead({ id, expiresAt }: OpenLead): LeadPayload {
  return { lead_id: id, lead_status: 'OPEN', expires_at: expiresAt.toISOString() };
}

export function presentKycContext({ contextId, documents, declarations }: KycContext): KycContextPayload {
  return {
    kyc_context_id: contextId,
    required_documents: [...documents],
    declarations: declarations.map(({ code, text }) => ({ code, text })),
  };
}
