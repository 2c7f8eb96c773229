import { Clock, CommandError, type NamedKey, type Operator, type WithDatabase } from '@fd/platform';
import type { DataSource } from 'typeorm';
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
  /** Records a refusal before its reason is printed, which may reveal data of a user. @throws CommandError with the reason */
  readonly refuse: (entry: AuditEntry, problem: string) => Promise<never>;
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
        const refuse = async (entry: AuditEntry, problem: string) => {
          await trail.record(dataSource.manager, { ...entry, code: reason, outcome: 'REFUSED' });
          throw new CommandError(problem);
        };
        return work({ dataSource, trail, kinds, reason, refuse });
      });
    });
}

/** Runs an action, and records a CommandError of it as its refusal. @param entry read when the refusal is recorded, so that the work may complete it */
export async function refusedAs<T>(
  { refuse }: OperatorTools,
  entry: AuditEntry,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) return refuse(entry, error.message);
    throw error;
  }
}
