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
import type { OperatorTrail } from '../audit/audit.command.js';
import type { AuditEntry } from '../audit/audit-trail.js';
import { idOf } from '../audit/operator-ids.js';
import { CALL_CHANGES, CALL_TABLES } from './call-tables.js';
import { callLine, OpenCalls } from './open-calls.repository.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const isChange = (action: string): action is keyof typeof CALL_CHANGES => Object.hasOwn(CALL_CHANGES, action);

/** `calls list|repeat|give-up`: open calls to providers, of every kind. */
export function callsCommand(withDatabase: WithDatabase, asOperator: OperatorTrail): Command {
  const connected = (
    command: string,
    work: (calls: OpenCalls, refuse: (entry: AuditEntry) => Promise<void>) => Promise<void>,
  ): Promise<number> =>
    asOperator(command, (trail) =>
      withDatabase(async (dataSource) => {
        const database = new Database(dataSource);
        await work(new OpenCalls(database, trail), (entry) =>
          trail.record(database, { ...entry, outcome: 'REFUSED' }),
        );
        return 0;
      }),
    );
  return {
    name: 'calls',
    usage: 'list --by NAME --reason WORD | repeat|give-up --call ID --by NAME --reason WORD',
    summary: `Lists open calls to providers and withdrawals that were given up, has one tried again now, or tried for the last time and given up. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      if (action === 'list') {
        const { values } = parseArgs({ args, options: OPERATOR_OPTIONS });
        const { by, reason } = operatorOf('calls list', values);
        return connected(`calls list by ${by}`, async (calls) =>
          (await calls.listToOperator(reason)).map(callLine).forEach(say),
        );
      }
      if (!isChange(action)) throw new CommandError('calls: list, repeat or give-up');
      const { values } = parseArgs({ args, options: { call: { type: 'string' }, ...OPERATOR_OPTIONS } });
      const { by, reason } = operatorOf(`calls ${action}`, values);
      const id = idOf(values.call, `calls ${action}: --call must be the id of a call`);
      return connected(`calls ${action} by ${by}`, async (calls, refuse) => {
        const call = await calls.change(id, action, reason);
        // recorded first: the answer tells whether there is such a call
        if (!call?.isReady)
          await refuse({ action: CALL_CHANGES[action], subject: call?.userId, object: id, code: reason });
        if (!call) throw new CommandError('No such call is open.');
        if (!call.isReady) throw new CommandError(`This call waits for ${CALL_TABLES[call.kind]!.waitsFor}.`);
        say(callLine(call));
      });
    },
  };
}
