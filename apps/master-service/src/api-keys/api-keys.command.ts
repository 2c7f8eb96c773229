import {
  type Command,
  CommandError,
  FLAG,
  type Operator,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
  type WithDatabase,
} from '@fd/platform';
import type { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { logAct } from '../operators/operator-log.js';
import { DEFAULT_CALLS_PER_MINUTE, isHandMadeKey, newApiKey } from './api-key.js';
import { hasActiveKey, limitApiKey, listApiKeys, revokeApiKey, storeApiKey } from './api-keys.repository.js';

const logged = (
  operator: Operator,
  act: 'CREATED' | 'LIMITED' | 'REVOKED',
  keyId: string,
  outcome?: 'REFUSED',
): void => logAct(operator, `API_KEY_${act}`, keyId, outcome);

/** `api-keys create|list|limit|revoke`: keys of clients of the catalogue, and their limits. */
export function apiKeysCommand(withDatabase: WithDatabase, isProduction: () => boolean): Command {
  return {
    name: 'api-keys',
    usage:
      'create --client C [--limit N] [--key K (not in production)] [--if-missing] --by NAME --reason WORD | list | limit --id ID --limit N --by NAME --reason WORD | revoke --id ID --by NAME --reason WORD',
    summary: `Creates, lists, limits and revokes the keys of the clients of the catalogue. A key is shown once, when it is created. --limit: calls a minute of all addresses of the client together (default: the highest of its active keys, or ${DEFAULT_CALLS_PER_MINUTE}). ${OPERATOR_HELP}`,
    run([action, ...args]) {
      if (action === 'create') return create(withDatabase, args, isProduction());
      if (action === 'list') return withDatabase(list);
      if (action === 'limit') return limit(withDatabase, args);
      if (action === 'revoke') return revoke(withDatabase, args);
      throw new CommandError('api-keys: create, list, limit or revoke');
    },
  };
}

async function create(withDatabase: WithDatabase, args: string[], isProduction: boolean): Promise<void> {
  const { values, operator } = operatorArguments('api-keys create', args, {
    client: TEXT,
    key: TEXT,
    limit: TEXT,
    'if-missing': FLAG,
  });
  const { client, key, 'if-missing': isOnlyIfMissing } = values;
  if (!client || !/^[A-Za-z0-9._-]{1,60}$/.test(client)) {
    throw new CommandError(
      'api-keys create: --client must be 1 to 60 letters, digits, dots, hyphens or underscores',
    );
  }
  const callsPerMinute = values.limit === undefined ? undefined : limitOf(values.limit);
  if (key !== undefined && isProduction) {
    throw new CommandError('api-keys create: --key is refused in production, where keys are generated');
  }
  if (key !== undefined && !isHandMadeKey(key)) {
    throw new CommandError(
      'api-keys create: --key must be 12 to 128 letters, digits, dots, hyphens or underscores',
    );
  }
  const made = key ?? newApiKey();
  const stored = await withDatabase((dataSource) =>
    dataSource.transaction(async (manager) => {
      // a parallel command waits, and then sees this key
      if (isOnlyIfMissing) await manager.query('LOCK TABLE catalogue.api_keys IN SHARE ROW EXCLUSIVE MODE');
      if (isOnlyIfMissing && (await hasActiveKey(manager, client, key))) return 'there';
      return storeApiKey(manager, client, made, callsPerMinute);
    }),
  );
  if (stored === 'there') {
    say(`${client} has ${key === undefined ? 'a' : 'this'} key already`);
    return;
  }
  if (!stored) throw new CommandError('api-keys create: this key was used before; choose another');
  logged(operator, 'CREATED', stored.keyId);
  say(`Client: ${client}\nId:     ${stored.keyId}\nKey:    ${made}`);
  if (key === undefined) say('The key is not kept and cannot be shown again.');
}

async function list(dataSource: DataSource): Promise<void> {
  const lines = (await listApiKeys(dataSource)).map((key) => {
    const state = key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : 'active';
    const { keyId, client, prefix, createdAt, callsPerMinute } = key;
    const columns = [keyId, client, `${prefix}...`, createdAt.toISOString(), `${callsPerMinute}/min`, state];
    return columns.join('\t');
  });
  await sayList(lines, 'No client has a key.');
}

async function limit(withDatabase: WithDatabase, args: string[]): Promise<void> {
  const { values, operator } = operatorArguments('api-keys limit', args, { id: TEXT, limit: TEXT });
  const id = idOf('limit', values.id);
  const callsPerMinute = limitOf(values.limit);
  if (!(await withDatabase((dataSource) => limitApiKey(dataSource, id, callsPerMinute)))) {
    logged(operator, 'LIMITED', id, 'REFUSED');
    throw new CommandError(`api-keys limit: there is no key ${id}`);
  }
  logged(operator, 'LIMITED', id);
  say(`${id} may make ${callsPerMinute} calls a minute, everywhere within seconds.`);
}

async function revoke(withDatabase: WithDatabase, args: string[]): Promise<void> {
  const { values, operator } = operatorArguments('api-keys revoke', args, { id: TEXT });
  const id = idOf('revoke', values.id);
  const outcome = await withDatabase((dataSource) => revokeApiKey(dataSource, id));
  if (outcome === 'unknown') {
    logged(operator, 'REVOKED', id, 'REFUSED');
    throw new CommandError(`api-keys revoke: there is no key ${id}`);
  }
  if (outcome === 'revoked') logged(operator, 'REVOKED', id);
  say(
    outcome === 'revoked' ? `Revoked ${id}: refused everywhere within seconds.` : `${id} was revoked before.`,
  );
}

function idOf(action: string, id: string | undefined): string {
  if (id !== undefined && isUuid(id)) return id.toLowerCase();
  throw new CommandError(`api-keys ${action}: --id must be the id that api-keys list shows`);
}

/** @throws CommandError for an invalid number of calls a minute */
function limitOf(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new CommandError('api-keys: --limit must be 1 to 9999999 calls a minute');
}
