import { MAX_NOMINEES, type NominationType } from '@fd/contracts';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { type Placement, WHOLE_SHARE } from './nominee.js';

/** The requested share or priority of a nominee; null if missing. */
export interface RequestedPlacement {
  readonly type: NominationType | null;
  /** Hundredths of a percent. */
  readonly share: number | null;
  readonly priority: number | null;
  /** Prefix of its field names in refusals: `nominees.1.`, or empty. */
  readonly path: string;
}

/**
 * Adds nominees to the existing ones, all with one type. Nominees who share get the requested share, by default 100 %,
 * and together at most 100 %; successive nominees have unique priorities.
 * @throws NomineeErrors.tooMany too many; GeneralErrors.fieldInvalid on nomination_type or priority;
 * NomineeErrors.sharesExceeded shares over 100
 */
export function place(requested: readonly RequestedPlacement[], others: readonly Placement[]): Placement[] {
  if (others.length + requested.length > MAX_NOMINEES) throw NomineeErrors.tooMany();
  const type = typeOf(requested, others);
  return type === 'SUCCESSIVE' ? inSuccession(requested, others) : sharing(requested, others);
}

function typeOf(requested: readonly RequestedPlacement[], others: readonly Placement[]): NominationType {
  const type = [...others, ...requested].find((one) => one.type !== null)?.type ?? 'SIMULTANEOUS';
  const odd = requested.find((one) => one.type !== null && one.type !== type);
  if (odd) throw GeneralErrors.fieldInvalid({ field: `${odd.path}nomination_type` });
  return type;
}

function sharing(requested: readonly RequestedPlacement[], others: readonly Placement[]): Placement[] {
  let total = sum(others);
  return requested.map(({ share: given, path }) => {
    const share = given ?? WHOLE_SHARE;
    total += share;
    if (total > WHOLE_SHARE) throw NomineeErrors.sharesExceeded({ field: `${path}share_percentage` });
    return { type: 'SIMULTANEOUS', share, priority: null };
  });
}

function inSuccession(requested: readonly RequestedPlacement[], others: readonly Placement[]): Placement[] {
  const taken = new Set(others.map(({ priority }) => priority));
  for (const { priority, path } of requested) {
    if (priority === null) continue;
    if (taken.has(priority)) throw GeneralErrors.fieldInvalid({ field: `${path}priority` });
    taken.add(priority);
  }
  let last = Math.max(0, ...[...taken].map(Number));
  // successive nominees each receive everything, so shares have no meaning
  return requested.map(({ priority }) => ({
    type: 'SUCCESSIVE',
    share: WHOLE_SHARE,
    priority: priority ?? ++last,
  }));
}

/** Whether the shares leave a part of the deposit unassigned. */
export function isShareMissing(nominees: readonly Placement[]): boolean {
  const sharers = nominees.filter(({ type }) => type === 'SIMULTANEOUS');
  return sharers.length > 0 && sum(sharers) !== WHOLE_SHARE;
}

const sum = (placements: readonly Placement[]): number =>
  placements.reduce((total, { share }) => total + share, 0);
