import { Clock, Database, type Operator, type WithDatabase } from '@fd/platform';
import type { DataSource } from 'typeorm';
import type { NamedKey } from '../../config/index.js';
import { AuditKeys } from './audit-event.js';
import { actingAs, type AuditEntry, AuditTrail } from './audit-trail.js';

/** What the work of a command gets. */
export interface OperatorTools {
  readonly dataSource: DataSource;
  readonly database: Database;
  readonly trail: AuditTrail;
  /** Why the operator acts. */
  readonly reason: string;
  /** Records an action that was refused. */
  readonly refuse: (entry: AuditEntry) => Promise<void>;
}

/** Runs the work of a command with its own database connection and the operator as the actor. */
export type AsOperator = <T>(operator: Operator, work: (tools: OperatorTools) => Promise<T>) => Promise<T>;

export function operatorTools(withDatabase: WithDatabase, keys: () => readonly NamedKey[]): AsOperator {
  return ({ command, by, reason }, work) =>
    actingAs(`operator:${command} by ${by}`, () => {
      const trail = new AuditTrail(new AuditKeys(keys()), new Clock());
      return withDatabase((dataSource) => {
        const database = new Database(dataSource);
        const refuse = (entry: AuditEntry) =>
          trail.record(database, { ...entry, code: reason, outcome: 'REFUSED' });
        return work({ dataSource, database, trail, reason, refuse });
      });
    });
}
