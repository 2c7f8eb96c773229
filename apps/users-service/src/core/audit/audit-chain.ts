import { type AuditKeys, type MacCheck, type ProvenEvent, type SealedEvent, textOf } from './audit-event.js';

/** A position in the chain: the number of an event and its hash, which covers all earlier events. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const GENESIS: Head = { seq: 0, hash: '' };

/** The position of a changed, missing or forged event. */
export interface Break {
  readonly seq: number;
  readonly problem: 'missing' | 'changed' | 'forged' | 'unknown-key' | 'cut-off';
}

/** The event that follows a head, and whether the service wrote it unchanged. */
export function sealed(
  keys: AuditKeys,
  head: Head,
  event: ProvenEvent,
  sealedAt: Date,
): { readonly event: SealedEvent; readonly isGenuine: boolean } {
  const text = textOf(event);
  const seq = head.seq + 1;
  const hash = keys.sign(linkText(head.hash, { seq, sealedAt, proof: event.proof }, text));
  return { event: { ...event, seq, sealedAt, hash }, isGenuine: keys.check(text, event.proof) === 'right' };
}

export function proofOf(keys: AuditKeys, event: ProvenEvent): MacCheck {
  return keys.check(textOf(event), event.proof);
}

/** Returns the problem of the link between HEAD and the next event: no later event can be verified. */
export function breakAfter(keys: AuditKeys, head: Head, event: SealedEvent): Break | undefined {
  const at = (seq: number, problem: Break['problem']): Break => ({ seq, problem });
  if (event.seq !== head.seq + 1) return at(Math.min(head.seq + 1, event.seq), 'missing');
  const link = keys.check(linkText(head.hash, event, textOf(event)), event.hash);
  return link === 'right' ? undefined : at(event.seq, link === 'wrong' ? 'changed' : link);
}

/** Returns the problem of a linked event that was sealed like this, but not written by the service. The chain goes on. */
export function forgeryOf(keys: AuditKeys, event: SealedEvent): Break | undefined {
  const proof = proofOf(keys, event);
  return proof === 'right' ? undefined : { seq: event.seq, problem: proof === 'wrong' ? 'forged' : proof };
}

/** Records that everything up to a head was removed at the end of its retention. */
export interface Checkpoint extends Head {
  readonly proof: string;
}

export function checkpointAt(keys: AuditKeys, { seq, hash }: Head): Checkpoint {
  return { seq, hash, proof: keys.sign(checkpointText({ seq, hash })) };
}

export function isGenuine(keys: AuditKeys, checkpoint: Checkpoint): boolean {
  return keys.check(checkpointText(checkpoint), checkpoint.proof) === 'right';
}

export const headText = ({ seq, hash }: Head): string => `${seq}:${hash}`;

/** @returns undefined if the text is not a head */
export function readHead(text: string): Head | undefined {
  const [, seq, hash] = /^(\d{1,15}):([A-Za-z0-9_-]{1,32}\.[0-9a-f]{64})$/.exec(text) ?? [];
  return seq !== undefined && hash !== undefined ? { seq: Number(seq), hash } : undefined;
}

function linkText(
  previousHash: string,
  { seq, sealedAt, proof }: Pick<SealedEvent, 'seq' | 'sealedAt' | 'proof'>,
  text: string,
): string {
  return JSON.stringify(['audit link 1', seq, previousHash, sealedAt, proof, text]);
}

function checkpointText({ seq, hash }: Head): string {
  return JSON.stringify(['audit checkpoint 1', seq, hash]);
}
