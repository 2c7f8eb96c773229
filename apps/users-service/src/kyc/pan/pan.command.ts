import { parseArgs } from 'node:util';
import { isPan, maskPan } from '@fd/contracts';
import {
  type Command,
  CommandError,
  Database,
  type WithDatabase,
  OPERATOR_HELP,
  OPERATOR_OPTIONS,
  operatorOf,
} from '@fd/platform';
import { Registry } from 'prom-client';
import type { PiiConfig } from '../../config/index.js';
import {
  type AuditTrail,
  hasInput,
  idOf,
  KeyedHash,
  operatorInput,
  type OperatorTrail,
  PiiCipher,
} from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { IdentitiesRepository } from './identities.repository.js';
import { PanClaims } from './pan-claims.repository.js';

/** `pan release`: releases a PAN from its user, so that its holder can verify it in another account. */
export function panCommand(
  withDatabase: WithDatabase,
  pii: () => PiiConfig,
  asOperator: OperatorTrail,
  readInput = operatorInput,
  isInputGiven = hasInput,
): Command {
  return {
    name: 'pan',
    usage: 'release [--user ID | --file PATH] --by NAME --reason WORD',
    summary: `Releases the PAN of a user, or of whoever has the PAN that is given in a file or on standard input. ${OPERATOR_HELP}`,
    run: async ([action, ...args]) => {
      if (action !== 'release') throw new CommandError('pan: release');
      const { values } = parseArgs({
        args,
        options: { user: { type: 'string' }, file: { type: 'string' }, ...OPERATOR_OPTIONS },
      });
      const { by, reason } = operatorOf('pan release', values);
      const user =
        values.user === undefined
          ? undefined
          : idOf(values.user, 'pan release: --user must be the id of a user');
      // otherwise the PAN of another user would be reported as released
      if (user !== undefined && (values.file !== undefined || (await isInputGiven())))
        throw new CommandError('pan release: give --user or a PAN, not both');
      const pan = user === undefined ? (await readInput(values.file)).trim() : undefined;
      if (pan !== undefined && !isPan(pan))
        throw new CommandError('pan release: without --user, the PAN must be in --file or on standard input');
      return asOperator(`pan release by ${by}`, (trail) =>
        withDatabase((dataSource) => release(new Database(dataSource), trail, pii(), { user, pan, reason })),
      );
    },
  };
}

async function release(
  database: Database,
  trail: AuditTrail,
  { keys, indexSecret }: PiiConfig,
  { user, pan, reason }: { user: string | undefined; pan: string | undefined; reason: string },
): Promise<number> {
  const journey = new JourneyRepository(database, trail, { issuers: [] }, new Registry());
  const stores = [database, new PiiCipher(keys), new KeyedHash(indexSecret), trail, journey] as const;
  const identities = new IdentitiesRepository(...stores);
  const claims = new PanClaims(...stores, identities);
  const line = await database.transaction(async (transaction) => {
    const userId = user ?? (await claims.findUserOf(pan!, transaction));
    if (userId === undefined) return undefined;
    const identity = await identities.findByUserId(userId, transaction);
    if (!identity || !(await claims.release(transaction, userId, reason))) return undefined;
    return [userId, maskPan(identity.pan), identity.verificationId, identity.verifiedAt.toISOString()].join(
      '\t',
    );
  });
  if (line === undefined) {
    // the answer tells whether somebody is a customer
    const refusal = { action: 'PAN_RELEASED', subject: user, code: reason, outcome: 'REFUSED' } as const;
    await trail.record(database, refusal);
    throw new CommandError(user ? 'This user has no PAN.' : 'No user has this PAN.');
  }
  process.stdout.write(`released\t${line}\n`);
  return 0;
}
