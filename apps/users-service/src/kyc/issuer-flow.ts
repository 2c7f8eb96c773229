import { isGiven } from '@fd/contracts';
import { IssuerErrors } from '@fd/errors';
import type { Issuer } from '../config/index.js';

/**
 * The flow that a request names, under either of its two names; null for the usual one.
 * @throws IssuerErrors.flowUnsupported for one that the issuer does not have
 */
export function flowOf(issuer: Issuer, request: { flow_id?: unknown; flowId?: unknown }): string | null {
  for (const field of ['flowId', 'flow_id'] as const) {
    const value = request[field];
    if (isGiven(value) && !(typeof value === 'string' && issuer.flows.includes(value))) {
      throw IssuerErrors.flowUnsupported({ field });
    }
  }
  const [flow] = [request.flowId, request.flow_id].filter(isGiven);
  return typeof flow === 'string' ? flow : null;
}
