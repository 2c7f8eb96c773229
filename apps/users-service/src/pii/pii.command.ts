import { type Command, CommandError, type WithDatabase } from '@fd/platform';
import type { PiiKey } from '../config/secrets.js';
import { rotateKeys } from './key-rotation.js';
import { PiiCipher } from './pii-cipher.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * `pii:rotate`: encrypts all personal data with the first key of PII_KEYS. Once it has ended, the older keys may
 * leave the setting.
 */
export function piiCommand(withDatabase: WithDatabase, keys: () => readonly PiiKey[]): Command {
  return {
    name: 'pii:rotate',
    usage: '',
    summary: 'Encrypts all personal data with the first key of PII_KEYS, while the service goes on.',
    run: async (args) => {
      if (args.length > 0) throw new CommandError('pii:rotate takes no arguments');
      const cipher = new PiiCipher(keys());
      const rotated = await withDatabase((dataSource) => rotateKeys(dataSource, cipher));
      for (const { table, column, rewritten, left } of rotated) {
        say(`${table}.${column}\t${rewritten} rewritten${left > 0 ? `, ${left} left` : ''}`);
      }
      if (rotated.some(({ left }) => left > 0)) {
        throw new CommandError(
          'Not everything is encrypted with the newest key: keep the older ones. Does a replica still write with one? Is a key missing?',
        );
      }
      say(`everything is encrypted with the key ${cipher.activeKeyId}`);
      return 0;
    },
  };
}
