import type { AuditAction } from '../../core/index.js';
import type { Step, StepEvent } from './journey.table.js';

/**
 * What the audit trail tells of an event of a step, beside the calls. What is missing here concerns no data of a person,
 * or is told by the feature itself or by the call.
 */
export const STEP_ACTIONS: Readonly<
  Partial<Record<Step, Readonly<Partial<Record<StepEvent, AuditAction>>>>>
> = {
  LEAD: { COMPLETED: 'LEAD_OPENED' },
  KYC_CONTEXT: { COMPLETED: 'KYC_CONTEXT_READ' },
  PAN: { STARTED: 'PAN_SENT_TO_REGISTRY', COMPLETED: 'PAN_VERIFIED' },
  EKYC: {
    STARTED: 'EKYC_STARTED',
    COMPLETED: 'EKYC_VERIFIED',
    FAILED: 'EKYC_VERIFIED',
    SKIPPED: 'EKYC_SPARED',
  },
  EMAIL: { COMPLETED: 'EMAIL_VERIFIED' },
  BANK: { COMPLETED: 'BANK_ACCOUNT_REGISTERED', FAILED: 'BANK_ACCOUNT_REGISTERED' },
  NOMINEE: { COMPLETED: 'NOMINATION_MADE', SKIPPED: 'NOMINATION_MADE' },
};
