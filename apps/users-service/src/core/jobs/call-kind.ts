import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { CallColumns } from './call-row.js';
import { DUE } from './durable-call.js';

/** A table of durable calls, for the worker and for operators. The conditions are SQL about entities: the row `t`, and what `join` adds. */
export interface CallKind<Row extends CallColumns = CallColumns> {
  readonly name: string;
  readonly entity: new () => Row;
  /** State while the provider works on a call that it has accepted; DUE of one that answers at once. */
  readonly acceptedState: string;
  readonly join?: (calls: SelectQueryBuilder<Row>) => SelectQueryBuilder<Row>;
  /** The user for whom the call is made. Default: `t.userId`. */
  readonly user?: string;
  /** Slug of the issuer that it concerns. Default: none. */
  readonly issuer?: string;
  /** Whether an open row has work to do. Default: always. */
  readonly readyWhen?: string;
  readonly waitsFor?: string;
  /** Whether a due call was never sent. It waits while its user is blocked or its partner disabled. */
  readonly unsentWhen?: string;
  /** State of given-up calls that nothing else restarts; they stay listed until repeated. */
  readonly givenUpState?: string;
  /** Whether one that was given up may be repeated. Default: always. */
  readonly repeatableWhen?: string;
  /** After this time without a result a call is given up. Default: a day. */
  readonly giveUpSeconds?: number;
}

/** Declares a kind; its type is that of all kinds, since core runs them without knowing their columns. */
export const callKind = <Row extends CallColumns>(kind: CallKind<Row>): CallKind =>
  kind as unknown as CallKind;

/**
 * SQL condition: whether the outcome is open. With literals, so that prepared statements use the partial indexes.
 * @param row `t.`, or nothing in an UPDATE
 */
export const isOpen = ({ acceptedState }: CallKind, row: 't.' | '' = 't.'): string =>
  `${row}state IN (${[...new Set([DUE, acceptedState])].map((state) => `'${state}'`).join(', ')})`;

export const userOf = ({ user = 't.userId' }: CallKind): string => user;

export function callsOf(
  tx: EntityManager,
  { entity, join = (calls) => calls }: CallKind,
): SelectQueryBuilder<CallColumns> {
  return join(tx.createQueryBuilder(entity, 't'));
}

/** Locks the selected rows `t` alone, not what is joined. */
export const locked = <Row extends ObjectLiteral>(rows: SelectQueryBuilder<Row>): SelectQueryBuilder<Row> =>
  rows.setLock('pessimistic_write', undefined, ['t']);
