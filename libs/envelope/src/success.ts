import type { RouteContract } from './route-contract.js';
import type { Json } from './send-json.js';
import { WrittenPayload } from './written-payload.js';

/**
 * The JSON of a success, in the envelope that its route declares; it never looks into the payload to guess.
 * @param status HTTP status, by which a handler chooses among the successes of its route
 */
export function successJson(contract: RouteContract, status: number, payload: unknown): Json {
  if (contract.isRaw) return JSON.stringify(payload);
  const success = { success: 1, ...successOf(contract, status) };
  if (!(payload instanceof WrittenPayload)) return JSON.stringify({ ...success, payload: payload ?? {} });
  return [`${JSON.stringify(success).slice(0, -1)},"payload":`, payload.json, '}'];
}

/** How the success is told that the handler chose by its status. */
function successOf(
  { bodyStatus, message, alternatives }: RouteContract,
  status: number,
): { statusCode: number; message: string } {
  const alternative = alternatives.find((other) => other.status === status);
  return alternative
    ? { statusCode: status, message: alternative.message ?? message }
    : { statusCode: bodyStatus, message };
}
