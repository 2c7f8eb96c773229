import { type Command, CommandError, OPERATOR_HELP, operatorArguments, say } from '@fd/platform';
import type { AsOperator, OperatorTools } from '../audit/operator-tools.js';
import type { NamedKey } from '@fd/platform';
import { forgetOtherKeys, otherKeysAtWork, registerKeys } from './key-register.js';
import { rotateKeys, type RotatedColumn } from './key-rotation.js';
import { PiiCipher } from './pii-cipher.js';

/** `pii:rotate`: encrypts all personal data with the first key of PII_KEYS, so that the older keys can be removed. */
export function piiCommand(asOperator: AsOperator, keys: () => readonly NamedKey[]): Command {
  return {
    name: 'pii:rotate',
    usage: '--by NAME --reason WORD',
    summary: `Encrypts all personal data with the first key of PII_KEYS, while the service runs. ${OPERATOR_HELP}`,
    run: async (args) => {
      const { operator } = operatorArguments('pii:rotate', args, {});
      return asOperator(operator, (tools) => rotate(tools, keys()));
    },
  };
}

async function rotate(
  { dataSource, trail, reason }: OperatorTools,
  keys: readonly NamedKey[],
): Promise<void> {
  const { manager } = dataSource;
  const cipher = new PiiCipher(keys);
  await registerKeys(manager, { pii: keys }, { mayLackKeys: true });
  // recorded before anything is changed, and again when it is complete
  await trail.record(manager, { action: 'PII_ROTATION_STARTED', code: reason });
  const rotated = await rotateKeys(dataSource, cipher);
  const outcome = rotated.some(({ left }) => left > 0) ? 'FAILED' : 'OK';
  await trail.record(manager, { action: 'PII_ROTATION_ENDED', outcome, code: reason });
  for (const { table, column, rewritten, left } of rotated) {
    say(`${table}.${column}\t${rewritten} rewritten${left > 0 ? `, ${left} left` : ''}`);
  }
  assertNothingLeft(rotated);
  const atWork = await otherKeysAtWork(manager, cipher.activeKeyId);
  if (atWork.length > 0) {
    throw new CommandError(
      `Everything is encrypted with the key ${cipher.activeKeyId}, but a replica wrote with ${atWork.join(', ')} in the last 3 minutes: run this again 3 minutes after every replica has ${cipher.activeKeyId} first.`,
    );
  }
  await forgetOtherKeys(manager, cipher.activeKeyId);
  say(`everything is encrypted with the key ${cipher.activeKeyId}`);
}

function assertNothingLeft(rotated: readonly RotatedColumn[]): void {
  const under = [...new Set(rotated.flatMap(({ leftUnder }) => leftUnder))].sort();
  if (under.length === 0) return;
  throw new CommandError(
    `Not everything is encrypted with the newest key: keep the older ones. There are values of the keys ${under.join(', ')}. Does a replica still write with one? Is a key missing?`,
  );
}
