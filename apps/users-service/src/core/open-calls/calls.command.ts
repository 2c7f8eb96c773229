import {
  type Command,
  CommandError,
  OPERATOR_HELP,
  operatorArguments,
  say,
  sayList,
  TEXT,
} from '@fd/platform';
import { idOf } from '../audit/operator-input.js';
import type { AsOperator } from '../audit/operator-tools.js';
import { CALL_CHANGES, callLine, OpenCalls } from './open-calls.repository.js';

const isChange = (action: string): action is keyof typeof CALL_CHANGES => Object.hasOwn(CALL_CHANGES, action);

export function callsCommand(asOperator: AsOperator): Command {
  return {
    name: 'calls',
    usage: 'list --by NAME --reason WORD | repeat|give-up --call ID --by NAME --reason WORD',
    summary: `Lists open calls to providers and withdrawals that were given up; repeats one now, or tries it once more and then gives it up. ${OPERATOR_HELP}`,
    run: async ([action = '', ...args]) => {
      if (action === 'list') {
        const { operator } = operatorArguments('calls list', args, {});
        return asOperator(operator, async (tools) => {
          const { dataSource, trail, reason } = tools;
          await trail.record(dataSource.manager, { action: 'OPEN_CALLS_LISTED', code: reason });
          const open = await new OpenCalls(tools).list(dataSource.manager);
          await sayList(open.map(callLine), 'No call is open, and no withdrawal was given up.');
        });
      }
      if (!isChange(action)) throw new CommandError('calls: list, repeat or give-up');
      const { values, operator } = operatorArguments(`calls ${action}`, args, { call: TEXT });
      const id = idOf(values.call, `calls ${action}: --call must be the id of a call`);
      return asOperator(operator, async (tools) => {
        const call = await new OpenCalls(tools).change(id, action, tools.reason);
        if (call?.isReady) return say(callLine(call));
        const problem = call ? `This call waits for ${call.kind.waitsFor!}.` : 'No such call is open.';
        return tools.refuse({ action: CALL_CHANGES[action], subject: call?.userId, object: id }, problem);
      });
    },
  };
}
