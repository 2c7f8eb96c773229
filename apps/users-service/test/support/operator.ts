import type { Command } from '@fd/platform';
import { bankCommand } from '../../src/banking/reviews/bank.command.js';
import { keysConfig, piiConfig } from '../../src/config/users-config.js';
import { operatorTrail } from '../../src/core/audit/audit.command.js';
import { panCommand } from '../../src/kyc/pan/pan.command.js';
import type { TestService } from './users-app.js';

/** Who decides and why, as arguments of a command. */
export const WHO = ['--by', 'asha-rao', '--reason', 'TICKET_4711'];

/** Runs the command `bank`; returns what it printed. */
export const runBank = async (service: TestService, ...args: string[]): Promise<string> =>
  run(bankCommand(...settingsOf(service)), args);

/** Runs the command `pan` with INPUT as its standard input; returns what it printed. */
export const runPan = async (service: TestService, input: string, ...args: string[]): Promise<string> =>
  run(
    panCommand(...settingsOf(service), () => Promise.resolve(input)),
    args,
  );

function settingsOf({ environment, dataSource }: TestService): Parameters<typeof bankCommand> {
  return [
    (work) => work(dataSource),
    () => piiConfig(environment),
    operatorTrail(() => keysConfig(environment, 'AUDIT_KEYS')),
  ];
}

async function run(command: Command, args: string[]): Promise<string> {
  const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await command.run(args)).toBe(0);
    return said.mock.calls.map(([line]) => String(line)).join('');
  } finally {
    said.mockRestore();
  }
}
