import { indiaTime } from '../wire/india-time.js';
import type { EkycRequest, EkycState } from './ekyc-request.js';

/** A new request as the provider tells it. */
export function newRequestOnWire({ id, reference, expiresAt }: EkycRequest, url: string): object {
  return { request_id: id, reference, url, state: 'created', expires_at: indiaTime(expiresAt) };
}

/** A request as the provider tells it by now. */
export function requestOnWire(request: EkycRequest, state: EkycState, url: string): object {
  const failure = state === 'failed' ? 'identity_not_confirmed' : null;
  return { ...newRequestOnWire(request, url), state, failure };
}
