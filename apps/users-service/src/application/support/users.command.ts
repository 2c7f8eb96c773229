import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  type Command,
  CommandError,
  Database,
  type WithDatabase,
  OPERATOR_HELP,
  OPERATOR_OPTIONS,
  operatorOf,
} from '@fd/platform';
import type { PiiConfig } from '../../config/index.js';
import {
  type AuditAction,
  type AuditEntry,
  type AuditTrail,
  idOf,
  KeyedHash,
  operatorInput,
  type OperatorTrail,
  PiiCipher,
} from '../../core/index.js';
import { UserAccess } from '../../identity/index.js';
import { KnownUsers } from './known-users.repository.js';
import { UserDataReader } from './user-data.repository.js';
import { UserErasure } from './user-erasure.js';
import { UserExport } from './user-export.js';

/** Dependencies of the actions. */
interface Tools {
  readonly users: KnownUsers;
  readonly access: UserAccess;
  readonly exports: UserExport;
  readonly erasure: UserErasure;
}

/** Records an action that was refused. */
type Refuse = (entry: AuditEntry) => Promise<void>;

/** Input of an action. */
interface Order {
  readonly userId: string;
  readonly reason: string;
  /** File for an export; standard output without one. */
  readonly to: string | undefined;
  readonly kycUntil: string | undefined;
}

/** An action of the command, and its name in the audit trail. */
interface Act {
  readonly recorded: AuditAction;
  /** Returns the output lines; undefined if the user is unknown. */
  readonly run: (tools: Tools, order: Order) => Promise<readonly string[] | undefined>;
}

const ACTIONS: Readonly<Record<string, Act>> = {
  show: { recorded: 'USER_READ', run: ({ users }, { userId, reason }) => users.show(userId, reason) },
  'end-sessions': {
    recorded: 'SESSIONS_ENDED',
    run: async ({ access }, { userId, reason }) => ended(await access.endSessions(userId, reason)),
  },
  block: {
    recorded: 'USER_BLOCKED',
    run: async ({ access }, { userId, reason }) => {
      const count = await access.block(userId, reason);
      return count === undefined ? undefined : ['blocked', ...ended(count)!];
    },
  },
  unblock: {
    recorded: 'USER_UNBLOCKED',
    run: async ({ access }, { userId, reason }) => {
      const wasBlocked = await access.unblock(userId, reason);
      return wasBlocked === undefined ? undefined : [wasBlocked ? 'may log in again' : 'was not blocked'];
    },
  },
  export: {
    recorded: 'USER_EXPORTED',
    run: async ({ exports }, { userId, reason, to }) => {
      const json = await exports.write(userId, reason);
      if (json === undefined || to === undefined) return json === undefined ? undefined : [json];
      // never overwrites a file, which others might be able to read
      await writeFile(to, `${json}\n`, { mode: 0o600, flag: 'wx' });
      return [`written to ${to}`];
    },
  },
  erase: { recorded: 'USER_ERASED', run: ({ erasure }, order) => erasure.erase(order) },
};

const ended = (count: number | undefined): string[] | undefined =>
  count === undefined ? undefined : [`${count} sessions ended`];

const TEXT = { type: 'string' } as const;
const OPTIONS = { user: TEXT, file: TEXT, to: TEXT, 'kyc-until': TEXT, ...OPERATOR_OPTIONS } as const;

/** `users`: finds, shows, blocks, exports and erases users. */
export function usersCommand(
  withDatabase: WithDatabase,
  pii: () => PiiConfig,
  asOperator: OperatorTrail,
  readInput = operatorInput,
  say = (text: string): void => void process.stdout.write(text),
): Command {
  const connected = (
    command: string,
    work: (tools: Tools, refuse: Refuse) => Promise<readonly string[] | undefined>,
    missing: string,
  ): Promise<number> =>
    asOperator(command, async (trail) => {
      const lines = await withDatabase((dataSource) => {
        const database = new Database(dataSource);
        return work(toolsOf(database, trail, pii()), (entry) =>
          trail.record(database, { ...entry, outcome: 'REFUSED' }),
        );
      });
      if (!lines || lines.length === 0) throw new CommandError(missing);
      for (const line of lines) say(`${line}\n`);
      return 0;
    });
  return {
    name: 'users',
    usage:
      'find [--file PATH] | show|end-sessions|block|unblock --user ID | export --user ID [--to FILE] | erase --user ID [--kyc-until DATE]; each with --by NAME --reason WORD',
    summary: `Finds the user of a phone or PAN that is given in a file or on standard input, shows the state of a user, ends sessions, blocks and unblocks, exports all that is held of a person, and erases it. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
      if (!act && action !== 'find')
        throw new CommandError(`users: find, ${Object.keys(ACTIONS).join(', ')}`);
      const { values } = parseArgs({ args, options: OPTIONS });
      const { by, reason } = operatorOf(`users ${action}`, values);
      const command = `users ${action} by ${by}`;
      const isForUser = values.user !== undefined;
      if (isForUser === !act || (isForUser && values.file !== undefined))
        throw new CommandError('users: find takes a file or standard input, all others --user and no file');
      if (!act) {
        const given = (await readInput(values.file)).trim();
        return connected(command, ({ users }) => find(users, given, reason), 'No user has it.');
      }
      const { user, to } = values;
      const userId = idOf(user, `users ${action}: --user must be the id of a user`);
      const order = { userId, reason, to, kycUntil: dayOf(values['kyc-until']) };
      return connected(
        command,
        (tools, refuse) => perform(act, tools, order, refuse),
        'There is no such user.',
      );
    },
  };
}

/** Records a refusal before its reason, which may tell about the user, is printed. */
async function perform(
  { recorded, run }: Act,
  tools: Tools,
  order: Order,
  refuse: Refuse,
): Promise<readonly string[] | undefined> {
  const refused = () => refuse({ action: recorded, subject: order.userId, code: order.reason });
  try {
    const lines = await run(tools, order);
    if (!lines) await refused();
    return lines;
  } catch (error) {
    if (error instanceof CommandError) await refused();
    throw error;
  }
}

async function find(users: KnownUsers, given: string, reason: string): Promise<string[]> {
  const lines = await users.find(given, reason);
  if (!lines)
    throw new CommandError('users find: a phone (12 digits) or a PAN must be in --file or on standard input');
  return lines;
}

/** A mistyped year must not keep a record for good: the law asks for five years, banks for ten. */
const MOST_KYC_YEARS = 20;

/** A day in the next twenty years. */
function dayOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined;
  const last = new Date();
  last.setUTCFullYear(last.getUTCFullYear() + MOST_KYC_YEARS);
  const isNear = day !== undefined && day.getTime() > Date.now() && day <= last;
  if (!isNear || day.toISOString().slice(0, 10) !== text)
    throw new CommandError(
      `users erase: --kyc-until must be a day in the next ${MOST_KYC_YEARS} years, such as 2035-03-31`,
    );
  return text;
}

function toolsOf(database: Database, trail: AuditTrail, { keys, indexSecret }: PiiConfig): Tools {
  const cipher = new PiiCipher(keys);
  const reader = new UserDataReader(cipher);
  return {
    users: new KnownUsers(database, cipher, new KeyedHash(indexSecret), trail),
    access: new UserAccess(database, trail),
    exports: new UserExport(database, reader, trail),
    erasure: new UserErasure(database, cipher, reader, trail),
  };
}
