import { bankCommand } from '../../src/banking/reviews/bank.command.js';
import { keysConfig, piiConfig } from '../../src/config/users-config.js';
import { operatorTrail } from '../../src/core/audit/audit.command.js';
import type { TestService } from './users-app.js';

/** Who decides and why, as arguments of a command. */
export const WHO = ['--by', 'asha-rao', '--reason', 'TICKET_4711'];

/** Runs the command `bank`; returns what it printed. */
export async function runBank({ environment, dataSource }: TestService, ...args: string[]): Promise<string> {
  const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const command = bankCommand(
    (work) => work(dataSource),
    () => piiConfig(environment),
    operatorTrail(() => keysConfig(environment, 'AUDIT_KEYS')),
  );
  try {
    expect(await command.run(args)).toBe(0);
    return said.mock.calls.map(([line]) => String(line)).join('');
  } finally {
    said.mockRestore();
  }
}
