import type { CheckEtbPayload } from '@fd/contracts';
import type { CustomerCheck } from './existing-customers.service.js';

export function presentCheck(
  { customer, journey, checkedAt }: CustomerCheck,
  flowId: string | null,
): CheckEtbPayload {
  const ekyc = journey.steps.find(({ step }) => step === 'EKYC');
  return {
    is_etb: customer !== undefined,
    customer_type: customer ? 'ETB' : 'NTB',
    customer_id: customer ? maskCustomerId(customer.customerId) : null,
    matched_on: [...(customer?.matchedOn ?? [])],
    flow_id: flowId,
    is_ekyc_required: ekyc !== undefined && !['DONE', 'SKIPPED'].includes(ekyc.status),
    skipped_steps: customer?.isKycComplete && ekyc ? ['EKYC'] : [],
    next_step: journey.nextStep,
    checked_at: checkedAt.toISOString(),
  };
}

/** The last four characters, unless that is all there is. */
function maskCustomerId(id: string): string {
  return `XXXXXX${id.length > 4 ? id.slice(-4) : ''}`;
}
