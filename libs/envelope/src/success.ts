import type { RouteContract } from './route-contract.js';
import { WrittenPayload } from './written-payload.js';

/**
 * The JSON of a success, in the envelope that its route declares; it never looks into the payload to guess.
 * @param status HTTP status, by which a handler chooses among the successes of its route
 */
export function successJson(contract: RouteContract, status: number, payload: unknown): string {
  if (contract.isRaw) return JSON.stringify(payload);
  const json = payload instanceof WrittenPayload ? payload.json : JSON.stringify(payload ?? {});
  return `${openingOf(contract, status)}${json}}`;
}

/** What comes before the payload, which is the same for all successes of a route with one status. */
const openings = new WeakMap<RouteContract, Map<number, string>>();

function openingOf(contract: RouteContract, status: number): string {
  let ofContract = openings.get(contract);
  if (!ofContract) openings.set(contract, (ofContract = new Map<number, string>()));
  let opening = ofContract.get(status);
  if (opening === undefined) {
    const success = JSON.stringify({ success: 1, ...successOf(contract, status) });
    ofContract.set(status, (opening = `${success.slice(0, -1)},"payload":`));
  }
  return opening;
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
