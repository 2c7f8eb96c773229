import { isGiven } from '@fd/contracts';
import { IssuerErrors, readEach } from '@fd/errors';
import type { Issuer } from '../config/index.js';

/** Every issuer accepts the savings-account flow: frontends send it without knowing which issuers have one. */
const SAVINGS_ACCOUNT_FLOW = 'SA';

/**
 * Returns the requested flow from either field; null for the usual one, also at an issuer without a savings-account flow.
 * @throws IssuerErrors.flowUnsupported for each field with a flow that the issuer does not have
 */
export function flowOf(issuer: Issuer, request: { flow_id?: unknown; flowId?: unknown }): string | null {
  const accepted: readonly unknown[] = [SAVINGS_ACCOUNT_FLOW, ...issuer.flows];
  const flow = readEach(['flowId', 'flow_id'] as const, (field) => {
    const value = request[field];
    if (isGiven(value) && !accepted.includes(value)) throw IssuerErrors.flowUnsupported({ field });
    return value;
  }).find(isGiven);
  return issuer.flows.find((own) => own === flow) ?? null;
}
