import { type Command, CommandError, type WithDatabase } from '@fd/platform';
import type { DataSource } from 'typeorm';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { OperatorTrail } from '../audit/audit.command.js';
import type { NamedKey } from '../config/secrets.js';
import { rotateKeys, type RotatedColumn } from './key-rotation.js';
import { PiiCipher } from './pii-cipher.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `pii:rotate`: encrypts all personal data with the first key of PII_KEYS. Once it has ended, the older keys may
 * leave the setting.
 */
export function piiCommand(
  withDatabase: WithDatabase,
  keys: () => readonly NamedKey[],
  asOperator: OperatorTrail,
): Command {
  return {
    name: 'pii:rotate',
    usage: '',
    summary: 'Encrypts all personal data with the first key of PII_KEYS, while the service goes on.',
    run: async (args) => {
      if (args.length > 0) throw new CommandError('pii:rotate takes no arguments');
      const cipher = new PiiCipher(keys());
      const rotated = await asOperator('pii:rotate', (trail) =>
        withDatabase((dataSource) => rotateTold(dataSource, cipher, trail)),
      );
      for (const { table, column, rewritten, left } of rotated) {
        say(`${table}.${column}\t${rewritten} rewritten${left > 0 ? `, ${left} left` : ''}`);
      }
      if (isIncomplete(rotated)) {
        throw new CommandError(
          'Not everything is encrypted with the newest key: keep the older ones. Does a replica still write with one? Is a key missing?',
        );
      }
      say(`everything is encrypted with the key ${cipher.activeKeyId}`);
      return 0;
    },
  };
}

/** Told before anything is changed, and again when it is complete. */
async function rotateTold(
  dataSource: DataSource,
  cipher: PiiCipher,
  trail: AuditTrail,
): Promise<RotatedColumn[]> {
  await trail.record(dataSource.manager, { action: 'PII_ROTATION_STARTED' });
  const rotated = await rotateKeys(dataSource, cipher);
  const outcome = isIncomplete(rotated) ? 'FAILED' : 'OK';
  await trail.record(dataSource.manager, { action: 'PII_ROTATION_ENDED', outcome });
  return rotated;
}

const isIncomplete = (rotated: readonly RotatedColumn[]): boolean => rotated.some(({ left }) => left > 0);
