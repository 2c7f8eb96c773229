import { type Exchange, isGood, payloadOf, refusalsOf } from '../calls/exchange.js';
import type { Facts } from './facts.js';
import type { Action } from './plan.js';

/** A pending result: of a provider, or of the person on a hosted page. */
export interface WaitingFor {
  readonly step: string;
  /** Key of the call that polls it. */
  readonly key: string;
  readonly what: string;
}

/** The pending result; undefined while the person must act. */
export function waitingFor(next: Action, { ekyc }: Facts): WaitingFor | undefined {
  if (next.kind === 'decide')
    return next.what === 'locker'
      ? { step: 'EKYC', key: 'locker-look', what: 'the person, in the document locker' }
      : { step: 'EKYC', key: 'EKYC', what: 'the person, on the page of the eKYC provider' };
  if (next.kind !== 'call') return undefined;
  if (next.key === 'pan-look') return { step: 'PAN', key: 'pan-look', what: 'the PAN registry' };
  if (next.key === 'bank-look') return { step: 'BANK', key: 'bank-look', what: 'the bank and the issuer' };
  if (next.key === 'locker-look') return { step: 'EKYC', key: 'locker-look', what: 'the document locker' };
  if (next.key === 'EKYC' && ekyc?.stage === 'decided')
    return { step: 'EKYC', key: 'EKYC', what: 'the eKYC provider' };
  return undefined;
}

/** How an eKYC or a locker session ends without success. */
const ENDED: readonly unknown[] = ['FAILED', 'EXPIRED', 'DENIED'];

/** Stored results of a PAN check, a bank account and a registration: 503, but not temporary. */
const FINAL_FAULTS: readonly unknown[] = ['SVCUSER2208', 'SVCUSER2753', 'SVCUSER2403'];

/** Whether an answer is final. A temporary fault is not. */
export function isDecided(exchange: Exchange): boolean {
  const status = exchange.answer?.status;
  if (status === undefined || status === 202 || status === 429) return false;
  if (status >= 500) return FINAL_FAULTS.includes(refusalsOf(exchange)[0]?.code);
  if (!isGood(exchange)) return true;
  const payload = payloadOf(exchange);
  if (payload['is_ekyc_verified'] !== false) return true;
  // `ekyc_failed` stays true beside the link of the next try
  return ENDED.includes(payload['ekyc_status'] ?? payload['status']);
}

/**
 * Whether a poll shows that the decided request has ended: the answer names the next request. The poll that reported the end may have
 * been dropped, because the decision came while it was under way.
 */
export function isSucceeded(exchange: Exchange, { ekyc }: Facts): boolean {
  if (ekyc?.stage !== 'decided' || !isGood(exchange)) return false;
  const id = payloadOf(exchange)['ekyc_request_id'];
  return typeof id === 'string' && id !== '' && id !== ekyc.requestId;
}
