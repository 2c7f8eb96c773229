import { ACCOUNTS_OF_PAN } from '../../src/banking/accounts/accounts-of-pan.js';
import { type Command, databaseConfig, withDatabase } from '@fd/platform';
import { usersCommand } from '../../src/application/support/users.command.js';
import { bankCommand } from '../../src/banking/reviews/bank.command.js';
import { keysConfig, piiConfig } from '../../src/config/users-config.js';
import { operatorInput } from '../../src/core/audit/operator-input.js';
import { operatorTools } from '../../src/core/audit/operator-tools.js';
import { piiCommand } from '../../src/core/pii/pii.command.js';
import { callsCommand } from '../../src/core/open-calls/calls.command.js';
import { partnersCommand } from '../../src/identity/partners.command.js';
import { panCommand } from '../../src/kyc/pan/pan.command.js';
import { CALL_KINDS, ONBOARDING_DATABASE } from '../../src/onboarding-database.js';
import type { TestService } from './users-app.js';

/** The arguments of a command that name the operator and the reason. */
export const WHO = ['--by', 'asha-rao', '--reason', 'TICKET_4711'];

/** Runs the command `bank`; returns its output. */
export const runBank = async (service: TestService, ...args: string[]): Promise<string> =>
  runCommand(bankCommand(...toolsOf(service)), args);

/** Reads the names of a review as an operator does, and decides on them; returns the output of the decision. */
export async function decideNames(
  service: TestService,
  action: 'accept' | 'refuse',
  id: string,
): Promise<string> {
  const of = ['--verification', id];
  return runBank(service, action, ...of, '--names', await namesToken(service, id), ...WHO);
}

/** Returns the token for the names of a review, as `bank names` prints it. */
export async function namesToken(service: TestService, id: string): Promise<string> {
  const names = await runBank(service, 'names', '--verification', id, ...WHO);
  return /\nnames\t([0-9a-f]{12})\n$/.exec(names)![1]!;
}

/** Runs the command `pan` with INPUT as its standard input; returns its output. */
export const runPan = async (service: TestService, input: string, ...args: string[]): Promise<string> =>
  runCommand(
    panCommand(
      ...toolsOf(service),
      ACCOUNTS_OF_PAN,
      () => Promise.resolve(input),
      () => Promise.resolve(input !== ''),
    ),
    args,
  );

/** Runs the command `users` with INPUT as its standard input; returns its output. */
export const runUsers = async (service: TestService, input: string, ...args: string[]): Promise<string> =>
  runCommand(
    usersCommand(...toolsOf(service), () => Promise.resolve(input)),
    args,
  );

/** Runs the command `users` with its own database connection, as an operator does; returns its output. */
export const runUsersAlone = async ({ environment }: TestService, ...args: string[]): Promise<string> => {
  const lines: string[] = [];
  const command = usersCommand(
    operatorTools(
      withDatabase(() => databaseConfig(environment), ONBOARDING_DATABASE),
      () => keysConfig(environment, 'AUDIT_KEYS'),
      CALL_KINDS,
    ),
    () => piiConfig(environment),
    () => Promise.resolve(''),
    (line) => lines.push(`${line}\n`),
  );
  await command.run(args);
  return lines.join('');
};

/** Runs the command `calls`; returns its output. */
export const runCalls = async (service: TestService, ...args: string[]): Promise<string> => {
  const [asOperator] = toolsOf(service);
  return runCommand(callsCommand(asOperator), args);
};

/** Runs the command `partners`; returns its output. */
export const runPartners = (service: TestService, ...args: string[]): Promise<string> =>
  runPartnersWith(service, '', ...args);

/** Runs the command `partners` with INPUT as its standard input; returns its output. */
export const runPartnersWith = async (
  service: TestService,
  input: string,
  ...args: string[]
): Promise<string> => {
  const [asOperator] = toolsOf(service);
  const readInput = (file?: string) => (file === undefined ? Promise.resolve(input) : operatorInput(file));
  return runCommand(
    partnersCommand(
      (work) => work(service.dataSource),
      asOperator,
      () => false,
      readInput,
    ),
    args,
  );
};

/** Returns the recorded refusals of commands about an object. */
export const refusalsOf = ({ dataSource }: TestService, object: string): Promise<object[]> =>
  dataSource.query(
    `SELECT actor, code FROM onboarding.audit_unsealed WHERE object_id = $1 AND outcome = 'REFUSED'
      UNION ALL SELECT actor, code FROM onboarding.audit_events WHERE object_id = $1 AND outcome = 'REFUSED'`,
    [object],
  );

/** Returns how many refusals of an action were recorded for the operator of `WHO`. */
export async function countRefusals({ dataSource }: TestService, action: string): Promise<number> {
  const [{ count }] = await dataSource.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM (SELECT actor, action, outcome, code FROM onboarding.audit_unsealed
       UNION ALL SELECT actor, action, outcome, code FROM onboarding.audit_events) e
      WHERE action = $1 AND outcome = 'REFUSED' AND code = 'TICKET_4711' AND actor LIKE 'operator:% by asha-rao'`,
    [action],
  );
  return count;
}

/** Runs the command `pii:rotate`; returns its output. */
export const runPii = async (service: TestService, ...args: string[]): Promise<string> => {
  const [asOperator] = toolsOf(service);
  const keys = () => keysConfig(service.environment, 'PII_KEYS');
  return runCommand(piiCommand(asOperator, keys), args);
};

/** Dependencies of the operator commands: database and audit trail, and the keys of personal data. */
export function toolsOf({ environment, dataSource }: TestService): Parameters<typeof bankCommand> {
  return [
    operatorTools(
      (work) => work(dataSource),
      () => keysConfig(environment, 'AUDIT_KEYS'),
      CALL_KINDS,
    ),
    () => piiConfig(environment),
  ];
}

/** Ends with the last command that was begun. */
let lastRun: Promise<unknown> = Promise.resolve();

/** Runs a command after those of concurrent tests, because it returns what the process prints meanwhile. */
export function runCommand(command: Command, args: string[]): Promise<string> {
  const output = lastRun.then(() => outputOf(command, args));
  lastRun = output.catch(() => undefined);
  return output;
}

async function outputOf(command: Command, args: string[]): Promise<string> {
  const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const remarked = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    expect((await command.run(args)) ?? 0).toBe(0);
    return said.mock.calls.map(([line]) => String(line)).join('');
  } finally {
    said.mockRestore();
    remarked.mockRestore();
  }
}
