import { parseArgs } from 'node:util';
import { type Command, CommandError, Database, type WithDatabase } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import type { PiiConfig } from '../../config/index.js';
import {
  type AuditTrail,
  KeyedHash,
  OPERATOR_HELP,
  OPERATOR_OPTIONS,
  operatorInput,
  operatorOf,
  type OperatorTrail,
  PiiCipher,
} from '../../core/index.js';
import { UserAccess } from '../../identity/index.js';
import { KnownUsers } from './known-users.repository.js';

/** What the actions work with. */
interface Tools {
  readonly users: KnownUsers;
  readonly access: UserAccess;
}

/** Each returns the lines that say what was done; undefined: there is no such user. */
const ACTIONS: Readonly<
  Record<string, (tools: Tools, userId: string, reason: string) => Promise<string[] | undefined>>
> = {
  show: ({ users }, userId, reason) => users.show(userId, reason),
  'end-sessions': async ({ access }, userId, reason) => ended(await access.endSessions(userId, reason)),
  block: async ({ access }, userId, reason) => {
    const count = await access.block(userId, reason);
    return count === undefined ? undefined : ['blocked', ...ended(count)!];
  },
  unblock: async ({ access }, userId, reason) => {
    const wasBlocked = await access.unblock(userId, reason);
    return wasBlocked === undefined ? undefined : [wasBlocked ? 'may log in again' : 'was not blocked'];
  },
};

const ended = (count: number | undefined): string[] | undefined =>
  count === undefined ? undefined : [`${count} sessions ended`];

const TEXT = { type: 'string' } as const;

/** `users`: what operators do for one person, and to one. */
export function usersCommand(
  withDatabase: WithDatabase,
  pii: () => PiiConfig,
  asOperator: OperatorTrail,
  readInput = operatorInput,
): Command {
  const connected = (
    command: string,
    work: (tools: Tools) => Promise<string[] | undefined>,
    missing: string,
  ): Promise<number> =>
    asOperator(command, async (trail) => {
      const lines = await withDatabase((dataSource) => work(toolsOf(new Database(dataSource), trail, pii())));
      if (!lines || lines.length === 0) throw new CommandError(missing);
      for (const line of lines) process.stdout.write(`${line}\n`);
      return 0;
    });
  return {
    name: 'users',
    usage: `find [--file PATH] | ${Object.keys(ACTIONS).join('|')} --user ID; each with --by NAME --reason WORD`,
    summary: `Finds the user of a phone or PAN that is given in a file or on standard input, shows the state of a user, ends sessions, blocks and unblocks. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      const act = ACTIONS[action];
      if (!act && action !== 'find')
        throw new CommandError(`users: find, ${Object.keys(ACTIONS).join(', ')}`);
      const { values } = parseArgs({ args, options: { user: TEXT, file: TEXT, ...OPERATOR_OPTIONS } });
      const { by, reason } = operatorOf(`users ${action}`, values);
      const { user = '', file } = values;
      const command = `users ${action} by ${by}`;
      if (act) {
        if (!isUuid(user)) throw new CommandError(`users ${action}: --user must be the id of a user`);
        return connected(command, (tools) => act(tools, user, reason), 'There is no such user.');
      }
      const given = (await readInput(file)).trim();
      return connected(command, ({ users }) => find(users, given, reason), 'No user has it.');
    },
  };
}

async function find(users: KnownUsers, given: string, reason: string): Promise<string[]> {
  const lines = await users.find(given, reason);
  if (!lines)
    throw new CommandError('users find: a phone (12 digits) or a PAN must be in --file or on standard input');
  return lines;
}

function toolsOf(database: Database, trail: AuditTrail, { keys, indexSecret }: PiiConfig): Tools {
  return {
    users: new KnownUsers(database, new PiiCipher(keys), new KeyedHash(indexSecret), trail),
    access: new UserAccess(database, trail),
  };
}
