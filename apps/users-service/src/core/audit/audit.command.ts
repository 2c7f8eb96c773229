import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { isError } from '@fd/errors';
import {
  type Command,
  CommandError,
  FLAG,
  type Operator,
  OPERATOR_HELP,
  operatorArguments,
  say,
  TEXT,
  timeOf,
  type WithDatabase,
} from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { idOf } from './operator-input.js';
import type { NamedKey } from '@fd/platform';
import { acknowledgeForgeries, type Range } from './audit-acknowledgement.js';
import { type Head, headText, readHead } from './audit-chain.js';
import { checkTrail, type Finding, MAX_UNSEALED_SECONDS } from './audit-check.js';
import { AuditKeys, columnsOf, type ProvenEvent, type SealedEvent } from './audit-event.js';
import { readHeadFile, writeHeadFile } from './audit-head-file.js';
import { type EventFilter, sealedEvents, unsealedEvents, type WaitingEvent } from './audit-reader.js';
import type { AuditEntry } from './audit-trail.js';
import type { AsOperator, OperatorTools } from './operator-tools.js';

/** Events that an operator reads, and the event that records the reading. */
interface Reading {
  readonly operator: Operator;
  readonly entry: AuditEntry;
  readonly filter: EventFilter;
  readonly linesOf: (tx: EntityManager, filter: EventFilter) => AsyncGenerator<string>;
}

const MAX_PRINTED = 20;

/** `audit verify|acknowledge|list|export`: who did what to whose data, and whether the trail is as it was written. */
export function auditCommand(
  withDatabase: WithDatabase,
  keys: () => readonly NamedKey[],
  asOperator: AsOperator,
): Command {
  const show = (reading: Reading) => asOperator(reading.operator, (tools) => write(tools, reading));
  return {
    name: 'audit',
    usage:
      'verify [--head SEQ:HASH | --head-file FILE [--begin | --whole]] | acknowledge --from SEQ [--until SEQ] --by NAME --reason WORD | list --user ID [--from DATE] [--to DATE] --by NAME --reason WORD | export [--issuer SLUG] [--from DATE] [--to DATE] --by NAME --reason WORD',
    summary:
      'Checks the audit trail, acknowledges forged events that were examined, lists the actions on the data of a user, exports events as JSON lines. With --head-file, verify continues from the head in FILE and stores the new head there; --begin creates FILE, --whole also checks events before the head. --to is exclusive. ' +
      OPERATOR_HELP,
    run: async ([action, ...args]) => {
      if (action === 'verify') return verify(withDatabase, keys, args);
      if (action === 'acknowledge') return acknowledge(asOperator, keys, args);
      if (action === 'list') return show(listing(args));
      if (action === 'export') return show(exporting(args));
      throw new CommandError('audit: verify, acknowledge, list or export');
    },
  };
}

/** The head to compare the chain with, and what to do with the new head. */
interface Verification {
  readonly known: Head | undefined;
  readonly isFromKnown: boolean;
  readonly keep: (head: Head) => Promise<void>;
}

async function verify(
  withDatabase: WithDatabase,
  keys: () => readonly NamedKey[],
  args: string[],
): Promise<void> {
  const { keep, ...compared } = await verificationOf(args);
  const auditKeys = new AuditKeys(keys());
  const { firstSeq, head, waiting, isWhole, findings } = await withDatabase((dataSource) =>
    checkTrail(dataSource, auditKeys, { ...compared, now: new Date() }),
  );
  // what waits is not in the chain; with an old head nobody would notice that later events were cut off
  if (findings.length === 0 || (isWhole && head.seq > 0)) await keep(head);
  if (findings.length > 0) throw new CommandError(explainAll(findings));
  const checked =
    head.seq < firstSeq ? 'no event is new' : `events ${firstSeq} to ${head.seq} are as they were written`;
  say(`${checked}; ${waiting} wait to be sealed`);
  say(head.seq === 0 ? 'no event is sealed yet' : `head ${headText(head)}`);
}

async function verificationOf(args: string[]): Promise<Verification> {
  const options = { head: TEXT, 'head-file': TEXT, begin: FLAG, whole: FLAG };
  const { head: text, 'head-file': file, begin, whole } = parseArgs({ args, options }).values;
  if (file === undefined) {
    if (begin || whole) throw new CommandError('audit verify: --begin and --whole go with --head-file');
    const known = text === undefined ? undefined : readHead(text);
    if (text !== undefined && !known) {
      throw new CommandError('audit verify: --head must be SEQ:HASH, as verify and the log print it');
    }
    return { known, isFromKnown: false, keep: () => Promise.resolve() };
  }
  if (text !== undefined || (begin && whole)) {
    throw new CommandError('audit verify: one of --head, --begin and --whole at most');
  }
  const known = begin ? undefined : await readHeadFile(file);
  const keep = async (head: Head): Promise<void> => {
    if (head.seq === 0) throw new CommandError('no event is sealed yet: begin once there is one');
    // another check may have stored a newer head in the hours of a whole check
    const stored = begin ? undefined : await readHeadFile(file);
    if (head.seq > (stored?.seq ?? 0)) await writeHeadFile(file, head, { isFirst: begin });
  };
  return { known, isFromKnown: !whole, keep };
}

const PROBLEMS: Readonly<Record<Finding['problem'], string>> = {
  missing: 'it is missing, or others beside it are',
  changed: 'its content or its position differs from the sealed event',
  forged: 'the service did not write it',
  'unknown-key': 'its key is not in AUDIT_KEYS',
  'cut-off': 'the chain ends before it, and once was longer',
  repeated: 'an event of its id is sealed already',
  'held-back': `it waits for longer than ${MAX_UNSEALED_SECONDS} seconds`,
};

function explainAll(findings: readonly Finding[]): string {
  const lines = findings
    .slice(0, MAX_PRINTED)
    .map((finding) => `The audit trail is broken ${explain(finding)}.`);
  const more = findings.length - lines.length;
  return [...lines, ...(more > 0 ? [`${more} further findings.`] : [])].join('\n');
}

function explain(finding: Finding): string {
  const place =
    'seq' in finding ? `at event ${finding.seq}` : `at event ${finding.waitingId}, which is not sealed`;
  return `${place}: ${PROBLEMS[finding.problem]}`;
}

async function acknowledge(
  asOperator: AsOperator,
  keys: () => readonly NamedKey[],
  args: string[],
): Promise<void> {
  const { values, operator } = operatorArguments('audit acknowledge', args, { from: TEXT, until: TEXT });
  const range = rangeOf(values);
  const lines = await asOperator(operator, (tools) =>
    acknowledgeForgeries(tools, new AuditKeys(keys()), range),
  );
  lines.forEach(say);
}

function rangeOf({ from, until = from }: { from?: string | undefined; until?: string | undefined }): Range {
  const isNumber = (text: string | undefined): text is string => /^[1-9]\d{0,14}$/.test(text ?? '');
  if (!isNumber(from) || !isNumber(until) || Number(until) < Number(from))
    throw new CommandError('audit acknowledge: --from and --until must be numbers of events, in this order');
  return { from: Number(from), until: Number(until) };
}

function listing(args: string[]): Reading {
  const { values, operator } = operatorArguments('audit list', args, { user: TEXT, from: TEXT, to: TEXT });
  const userId = idOf(values.user, 'audit list: --user must be the id of a user');
  const entry = { action: 'TRAIL_READ', subject: userId, code: operator.reason } as const;
  return { operator, entry, filter: { userId, ...periodOf(values) }, linesOf: listLines };
}

function exporting(args: string[]): Reading {
  const options = { issuer: TEXT, from: TEXT, to: TEXT };
  const { values, operator } = operatorArguments('audit export', args, options);
  const { issuer } = values;
  if (issuer !== undefined && !/^[a-z-]{1,60}$/.test(issuer)) {
    throw new CommandError('audit export: --issuer must be the slug of an issuer');
  }
  const narrowed = issuer === undefined ? {} : { issuer };
  const entry = { action: 'TRAIL_EXPORTED', code: operator.reason, ...narrowed } as const;
  return { operator, entry, filter: { ...narrowed, ...periodOf(values) }, linesOf: jsonLines };
}

/** Records the reading before it prints anything. */
async function write(
  { dataSource, trail }: OperatorTools,
  { entry, filter, linesOf }: Reading,
): Promise<void> {
  const { manager } = dataSource;
  await trail.record(manager, entry);
  try {
    await pipeline(Readable.from(linesOf(manager, filter)), process.stdout, { end: false });
  } catch (error) {
    // a closed pipe (| head) is not a failure
    const code = isError(error) && 'code' in error ? String(error.code) : '';
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code)) throw error;
  }
}

/** Reads the waiting events first: one that is sealed meanwhile would otherwise be in neither table. */
async function* listLines(tx: EntityManager, filter: EventFilter): AsyncGenerator<string> {
  const waiting = new Map<string, WaitingEvent>();
  for await (const event of unsealedEvents(tx, filter)) waiting.set(event.id, event);
  for await (const event of sealedEvents(tx, filter)) {
    // one that was sealed before is evidence
    if (!waiting.get(event.id)?.isSealed) waiting.delete(event.id);
    yield listLine(event, String(event.seq));
  }
  for (const event of waiting.values()) yield listLine(event, 'not sealed');
}

function listLine(event: ProvenEvent, seq: string): string {
  const outcome = event.code === null ? event.outcome : `${event.outcome} ${event.code}`;
  const { actor, action, issuerSlug, objectId, sessionId, requestId } = event;
  const ids = [issuerSlug, objectId, sessionId, requestId].map((id) => id ?? '-');
  return `${[event.occurredAt.toISOString(), seq, actor, action, outcome, ...ids].join('\t')}\n`;
}

/** Sealed events with everything needed to verify them. */
async function* jsonLines(tx: EntityManager, filter: EventFilter): AsyncGenerator<string> {
  for await (const event of sealedEvents(tx, filter)) yield `${JSON.stringify(exported(event))}\n`;
}

function exported(event: SealedEvent): object {
  const { issuer_slug: issuer, ...row } = columnsOf(event);
  return { seq: event.seq, ...row, issuer, sealed_at: event.sealedAt, hash: event.hash };
}

type Period = Pick<EventFilter, 'from' | 'to'>;

function periodOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Period {
  return { from: dateOf('--from', from), to: dateOf('--to', to) };
}

function dateOf(option: string, text: string | undefined): Date | undefined {
  const problem = `audit: ${option} must be a date (of UTC), or a date and time with its offset`;
  return text === undefined ? undefined : timeOf(text.replace(/^[\d-]{10}$/, '$&T00:00Z'), problem);
}
