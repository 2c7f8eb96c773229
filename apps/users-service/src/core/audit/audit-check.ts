import { CommandError } from '@fd/platform';
import { type DataSource, type EntityManager, LessThan } from 'typeorm';
import {
  type Break,
  breakAfter,
  type Checkpoint,
  forgeryOf,
  GENESIS,
  type Head,
  isGenuine,
  proofOf,
} from './audit-chain.js';
import { AuditCheckpoint } from './audit-checkpoint.entity.js';
import type { AuditKeys } from './audit-event.js';
import { SealedAuditEvent } from './audit-event.entity.js';
import { sealedEvents, unsealedEvents, type WaitingEvent } from './audit-reader.js';

/** The sealer needs seconds; an event that waits longer was held back. */
export const MAX_UNSEALED_SECONDS = 300;

/** No clock is wrong by this much. An event with a later time would wait for ever and be overlooked. */
const MAX_AHEAD_SECONDS = 86_400;

/** A check ends after so many, because an intruder may have added millions. */
export const MAX_FORGERIES = 10_000;

export type Finding = Break | { readonly waitingId: string; readonly problem: WaitingProblem };

type WaitingProblem = 'forged' | 'unknown-key' | 'repeated' | 'held-back';

export interface CheckedTrail {
  /** Number of the first remaining event; earlier ones were removed with a checkpoint. */
  readonly firstSeq: number;
  readonly head: Head;
  readonly waiting: number;
  /** Whether every event up to the head is linked, and written by the service or acknowledged. */
  readonly isWhole: boolean;
  /** The first of them; undefined if nothing has changed. */
  readonly finding: Finding | undefined;
  /** In the order of the chain, then those of waiting events. */
  readonly findings: readonly Finding[];
}

/**
 * Verifies the trail. Each statement is a transaction of its own: a transaction of hours would stop `maintenance` and vacuum.
 * @param isFromKnown starts at the known head
 * @param known a head from outside of the database; without one, a truncated chain looks like a shorter one
 * @throws CommandError if the known head is older than the first remaining event
 */
export async function checkTrail(
  dataSource: DataSource,
  keys: AuditKeys,
  { known, isFromKnown = false, now }: { known?: Head | undefined; isFromKnown?: boolean; now: Date },
): Promise<CheckedTrail> {
  const { manager } = dataSource;
  const oldest = await startOf(manager, keys);
  const start = known && isFromKnown ? await laterOf(manager, oldest, known) : oldest;
  const chain = await checkChain(manager, keys, start, known);
  const isWhole = chain.breaks.length === 0;
  // events that `maintenance` drops meanwhile look like missing ones
  if (!isWhole && (await startOf(manager, keys)).seq > oldest.seq)
    return checkTrail(dataSource, keys, { known, isFromKnown, now });
  // last, so that an event sealed meanwhile is not seen twice
  const { waiting, problems } = await checkWaiting(manager, keys, now);
  const findings: readonly Finding[] = [...chain.breaks, ...problems];
  return { firstSeq: start.seq + 1, head: chain.head, waiting, isWhole, finding: findings[0], findings };
}

/** The position after expired events; without a genuine checkpoint, the beginning. */
async function startOf(tx: EntityManager, keys: AuditKeys): Promise<Head> {
  const [first] = await tx.find(SealedAuditEvent, {
    select: { seq: true },
    order: { seq: 'ASC' },
    take: 1,
  });
  const [row] = await tx.find(AuditCheckpoint, {
    where: first ? { seq: LessThan(first.seq) } : {},
    order: { seq: 'DESC' },
    take: 1,
  });
  const checkpoint: Checkpoint | undefined = row && { ...row, seq: Number(row.seq) };
  return checkpoint && isGenuine(keys, checkpoint) ? checkpoint : GENESIS;
}

/** The position of the known head, or of the first remaining event if that is later. */
async function laterOf(tx: EntityManager, oldest: Head, { seq }: Head): Promise<Head> {
  const found = await tx.findOneBy(SealedAuditEvent, { seq: String(seq) });
  return found ? { seq, hash: found.hash } : oldest;
}

/** Continues after forged events, and ends at the first event whose link is broken. */
async function checkChain(
  tx: EntityManager,
  keys: AuditKeys,
  start: Head,
  known: Head | undefined,
): Promise<{ head: Head; breaks: Break[] }> {
  if (known && known.seq < start.seq) {
    throw new CommandError(`event ${known.seq} has been removed, its time was over: give a newer head`);
  }
  let head: Head = { seq: start.seq, hash: start.hash };
  const forgeries = new Map<string, Break>();
  const ended = (...breaks: Break[]) => ({ head, breaks: [...forgeries.values(), ...breaks] });
  if (differs(head, known)) return ended({ seq: head.seq, problem: 'changed' });
  for await (const event of sealedEvents(tx, { afterSeq: start.seq })) {
    const broken = breakAfter(keys, head, event);
    if (broken) return ended(broken);
    head = { seq: event.seq, hash: event.hash };
    if (differs(head, known)) return ended({ seq: head.seq, problem: 'changed' });
    const forgery = forgeryOf(keys, event);
    if (forgery) forgeries.set(event.id, forgery);
    else if (event.action === 'FORGERY_ACKNOWLEDGED') forgeries.delete(event.objectId ?? '');
    if (forgeries.size >= MAX_FORGERIES) return ended();
  }
  const isShort = known !== undefined && known.seq > head.seq;
  return isShort ? ended({ seq: head.seq + 1, problem: 'cut-off' }) : ended();
}

const differs = (head: Head, known: Head | undefined): boolean =>
  head.seq === known?.seq && head.hash !== known.hash;

async function checkWaiting(
  tx: EntityManager,
  keys: AuditKeys,
  now: Date,
): Promise<{ waiting: number; problems: Finding[] }> {
  let waiting = 0;
  const problems: Finding[] = [];
  for await (const event of unsealedEvents(tx)) {
    waiting++;
    const problem = problemOf(keys, event, now);
    if (problem && problems.length < MAX_FORGERIES) problems.push({ waitingId: event.id, problem });
  }
  return { waiting, problems };
}

function problemOf(keys: AuditKeys, event: WaitingEvent, now: Date): WaitingProblem | undefined {
  if (event.isSealed) return 'repeated';
  const proof = proofOf(keys, event);
  if (proof !== 'right') return proof === 'wrong' ? 'forged' : proof;
  const seconds = (now.getTime() - event.occurredAt.getTime()) / 1_000;
  return seconds > MAX_UNSEALED_SECONDS || seconds < -MAX_AHEAD_SECONDS ? 'held-back' : undefined;
}
