import { type Command, CommandError, say, type WithDatabase } from '@fd/platform';
import type { DataSource } from 'typeorm';
import type { NamedKey } from '@fd/platform';
import { leaveCheckpoint } from '../audit/audit-chain.repository.js';
import { AuditKeys } from '../audit/audit-event.js';
import { Partitions } from './partitions.js';

/** Result of a maintenance run: names of partitions. */
export interface Maintained {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
  /** Default partitions that have rows. */
  readonly strays: readonly string[];
  /** Tables that could not be finished, each with its reason. */
  readonly failures: readonly string[];
}

/** Creates future partitions and drops expired ones. @param keys sign the checkpoints of dropped audit events */
export async function maintain(dataSource: DataSource, keys: AuditKeys): Promise<Maintained> {
  const partitions = new Partitions(dataSource);
  const { made, failures } = await partitions.makeAhead();
  const { dropped, failures: kept } = await partitions.dropOld(async (partition, tx) => {
    if (partition.table.name === 'audit_events') await leaveCheckpoint(tx, keys, partition);
  });
  return { made, dropped, strays: await partitions.strays(), failures: [...failures, ...kept] };
}

export function maintenanceCommand(withDatabase: WithDatabase, keys: () => readonly NamedKey[]): Command {
  return {
    name: 'maintenance',
    usage: '',
    summary: 'Makes the partitions of the next months and drops expired ones. Run it daily as the owner.',
    run: async () => {
      const auditKeys = new AuditKeys(keys());
      const { made, dropped, strays, failures } = await withDatabase((dataSource) =>
        maintain(dataSource, auditKeys),
      );
      const lines = [...made.map((name) => `made ${name}`), ...dropped.map((name) => `dropped ${name}`)];
      say(lines.length > 0 ? lines.join('\n') : 'nothing to make or drop');
      const problems = [...failures];
      if (strays.length > 0) problems.push(`no partition was there for the rows of ${strays.join(', ')}`);
      if (problems.length > 0)
        throw new CommandError(`${problems.join('\n')}\nSee docs/runbooks/partitions.md`);
    },
  };
}
