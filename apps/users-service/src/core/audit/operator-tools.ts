import { Clock, type Operator, type WithDatabase } from '@fd/platform';
import type { DataSource } from 'typeorm';
import type { NamedKey } from '@fd/platform';
import type { CallKind } from '../jobs/call-kind.js';
import { AuditKeys } from './audit-event.js';
import { actingAs, type AuditEntry, AuditTrail } from './audit-trail.js';

/** What the work of a command gets. */
export interface OperatorTools {
  readonly dataSource: DataSource;
  readonly trail: AuditTrail;
  /** Every kind of durable call. */
  readonly kinds: readonly CallKind[];
  /** Why the operator acts. */
  readonly reason: string;
  /** Records an action that was refused. */
  readonly refuse: (entry: AuditEntry) => Promise<void>;
}

/** Runs the work of a command with its own database connection and the operator as the actor. */
export type AsOperator = <T>(operator: Operator, work: (tools: OperatorTools) => Promise<T>) => Promise<T>;

export function operatorTools(
  withDatabase: WithDatabase,
  keys: () => readonly NamedKey[],
  kinds: readonly CallKind[],
): AsOperator {
  return ({ command, by, reason }, work) =>
    actingAs(`operator:${command} by ${by}`, () => {
      const trail = new AuditTrail(new AuditKeys(keys()), new Clock());
      return withDatabase((dataSource) => {
        const refuse = (entry: AuditEntry) =>
          trail.record(dataSource.manager, { ...entry, code: reason, outcome: 'REFUSED' });
        return work({ dataSource, trail, kinds, reason, refuse });
      });
    });
}
