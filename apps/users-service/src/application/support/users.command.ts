import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import {
  type Command,
  CommandError,
  FLAG,
  OPERATOR_HELP,
  operatorArguments,
  say,
  TEXT,
  timeOf,
} from '@fd/platform';
import type { PiiConfig } from '../../config/index.js';
import {
  type AsOperator,
  type AuditAction,
  idOf,
  OpenCalls,
  operatorInput,
  type OperatorTools,
  refusedAs,
} from '../../core/index.js';
import { PartnerEvents } from '../../events/index.js';
import { publishToPartners, User, UserAccess } from '../../identity/index.js';
import { identityTools } from '../../kyc/index.js';
import { AffectedUsers, type Breach } from './affected-users.js';
import { KnownUsers } from './known-users.js';
import { UserDataReader } from './user-data.repository.js';
import { UserErasure } from './user-erasure.js';
import { UserExport } from './user-export.js';

interface Tools {
  readonly users: KnownUsers;
  readonly access: UserAccess;
  readonly exports: UserExport;
  readonly erasure: UserErasure;
}

interface Order {
  readonly userId: string;
  readonly reason: string;
  /** File for an export; standard output without one. */
  readonly to: string | undefined;
  readonly kycUntil: string | undefined;
  readonly hasNoDeposit: boolean;
}

/** An action of the command, and its name in the audit trail. */
interface Act {
  readonly recorded: AuditAction;
  /** Returns the output lines, unless it has printed them; undefined if the user is unknown. */
  readonly run: (tools: Tools, order: Order, print: typeof say) => Promise<readonly string[] | undefined>;
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
    run: async ({ exports }, { userId, reason, to }, print) => {
      if (to === undefined) return (await exports.write(userId, reason, print)) ? [] : undefined;
      const isKnown = await inNewFile(to, (write) => exports.write(userId, reason, write));
      return isKnown ? [`written to ${to}`] : undefined;
    },
  },
  erase: {
    recorded: 'USER_ERASED',
    run: ({ erasure }, { kycUntil, ...order }) => erasure.erase({ ...order, kycUntil: dayOf(kycUntil) }),
  },
};

/**
 * Runs work that writes lines to a new file, which only this user of the machine can read. Never overwrites a file, which
 * others might be able to read, and leaves no half of one, also when a signal ends the process. Synchronous, so that a
 * signal finds either no file or one that it removes.
 */
async function inNewFile<T>(path: string, work: (write: (lines: string) => void) => Promise<T>): Promise<T> {
  let file: number | undefined;
  const remove = (): void => rmSync(path);
  try {
    return await work((lines) => {
      if (file === undefined) {
        file = openSync(path, 'wx', 0o600);
        process.once('exit', remove);
      }
      writeFileSync(file, `${lines}\n`);
    });
  } catch (error) {
    if (file !== undefined) remove();
    throw error;
  } finally {
    process.off('exit', remove);
    if (file !== undefined) closeSync(file);
  }
}

const ended = (count: number | undefined): string[] | undefined =>
  count === undefined ? undefined : [`sessions ended: ${count}`];

const OPTIONS = {
  ...{ user: TEXT, file: TEXT, to: TEXT, 'kyc-until': TEXT, 'no-deposit': FLAG },
  ...{ from: TEXT, table: TEXT, partner: TEXT },
};

export function usersCommand(
  asOperator: AsOperator,
  pii: () => PiiConfig,
  readInput = operatorInput,
  print = say,
): Command {
  return {
    name: 'users',
    usage:
      'find [--file PATH] | show|end-sessions|block|unblock --user ID | export --user ID [--to FILE] | erase --user ID [--kyc-until DATE | --no-deposit] | affected [--from TIME] [--to TIME] [--table NAME] [--partner URL]; each with --by NAME --reason WORD',
    summary: `Finds the user of a phone or PAN that is given in a file or on standard input, shows the state of a user, ends sessions, blocks and unblocks, exports the data of a person, and erases it; where a deposit may have been opened, --kyc-until keeps its KYC record, and --no-deposit declares that there is none. Lists the people whom a breach concerns: with events of the audit trail in the time (without one all users), data in the table, and a consent through the partner. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
      if (!act && !['find', 'affected'].includes(action))
        throw new CommandError(`users: find, ${Object.keys(ACTIONS).join(', ')}, affected`);
      const { values, operator } = operatorArguments(`users ${action}`, args, OPTIONS);
      if (action === 'affected') {
        const breach = breachOf(values);
        const lines = await asOperator(operator, ({ dataSource, trail, reason }) =>
          new AffectedUsers(dataSource.manager, trail).list(breach, reason),
        );
        return lines.forEach(print);
      }
      const isForUser = values.user !== undefined;
      if (isForUser === !act || (isForUser && values.file !== undefined))
        throw new CommandError('users: find takes a file or standard input, all others --user and no file');
      if (!act) {
        const given = (await readInput(values.file)).trim();
        const lines = await asOperator(operator, (tools) => find(tools, pii(), given));
        return lines.forEach(print);
      }
      const { user, to } = values;
      const userId = idOf(user, `users ${action}: --user must be the id of a user`);
      const order = {
        userId,
        reason: operator.reason,
        to,
        kycUntil: values['kyc-until'],
        hasNoDeposit: values['no-deposit'],
      };
      const lines = await asOperator(operator, (tools) =>
        refusedAs(tools, { action: act.recorded, subject: userId }, async () => {
          const done = await act.run(toolsOf(tools, pii()), order, print);
          if (!done) throw new CommandError('There is no such user.');
          return done;
        }),
      );
      return lines.forEach(print);
    },
  };
}

async function find(tools: OperatorTools, pii: PiiConfig, given: string): Promise<string[]> {
  const lines = await toolsOf(tools, pii).users.findByPhoneOrPan(given, tools.reason);
  const problem = 'users find: a phone (12 digits) or a PAN must be in --file or on standard input';
  if (!lines) return tools.refuse({ action: 'USER_SOUGHT' }, problem);
  if (lines.length === 0) throw new CommandError('No user has it.');
  return lines;
}

/** @throws CommandError without any filter */
function breachOf({ from, to, table, partner }: Partial<Record<keyof Breach, string>>): Breach {
  const ofOption = (name: string, text: string | undefined): Date | undefined => {
    const problem = `users affected: --${name} must be a time such as 2026-11-28T09:30:00+05:30`;
    return text === undefined ? undefined : timeOf(text, problem);
  };
  if ([from, to, table, partner].every((given) => given === undefined))
    throw new CommandError('users affected: at least one of --from, --to, --table and --partner');
  return { from: ofOption('from', from), to: ofOption('to', to), table, partner };
}

/** A mistyped year must not keep a record for good: the law asks for five years, banks for ten. */
const MOST_KYC_YEARS = 20;

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

function toolsOf(tools: OperatorTools, pii: PiiConfig): Tools {
  const { dataSource, trail } = tools;
  const calls = new OpenCalls(tools);
  const { manager } = dataSource;
  const { cipher, users, identities, journey } = identityTools(tools, pii);
  const reader = new UserDataReader(cipher);
  const events = new PartnerEvents(dataSource.manager);
  const access = new UserAccess(dataSource.getRepository(User), trail, calls, (tx, userId) =>
    publishToPartners(tx, events, 'user.blocked', userId),
  );
  return {
    users: new KnownUsers(manager, users, access, identities, journey, calls, trail),
    access,
    exports: new UserExport(dataSource, users, reader, trail),
    erasure: new UserErasure(dataSource, users, cipher, reader, trail, calls, events),
  };
}
