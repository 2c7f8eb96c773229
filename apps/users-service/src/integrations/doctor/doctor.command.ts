import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import {
  type Command,
  CommandError,
  FLAG,
  OPERATOR_HELP,
  OPERATOR_OPTIONS,
  operatorOf,
  say,
  TEXT,
} from '@fd/platform';
import { Registry } from 'prom-client';
import type { UsersConfig } from '../../config/index.js';
import { type AsOperator, operatorInput } from '../../core/index.js';
import { ProviderClients } from '../providers/provider-client.js';
import { type CheckResult, examine } from './doctor.js';
import { type DoctorReport, tableOf } from './doctor-report.js';
import { type CheckedVendor, type CheckValues, checkValues } from './vendor-check.js';

/** The vendors of a port that the settings name. */
export type VendorsOf = (config: UsersConfig, clients: ProviderClients) => readonly CheckedVendor[];

const CANNOT_RUN = 2;

/**
 * The report as a JWS in compact form (RFC 7515), signed as our tokens are: anyone can verify it with the service's
 * public keys. It is not a token: it has another type and none of a token's claims.
 */
type ReportSigner = (config: UsersConfig, type: 'doctor-report+jws', report: DoctorReport) => string;

interface DoctorTools {
  readonly asOperator: AsOperator;
  readonly settings: () => UsersConfig;
  readonly ports: readonly VendorsOf[];
  readonly signed: ReportSigner;
  readonly readInput?: typeof operatorInput;
}

/**
 * `doctor`: checks every configured vendor through the adapters that the service uses. Needs the database for --paid
 * alone.
 */
export const doctorCommand = (tools: DoctorTools): Command => ({
  name: 'doctor',
  usage:
    '[--provider NAME] [--test-values | --paid [--file PATH] --by NAME --reason WORD] [--json] [--report FILE]',
  summary:
    'Checks each vendor: address, clock, credentials, templates, balance, shape of its answers. --test-values sends fictional people to vendor sandboxes; ' +
    '--paid runs the paid checks, with the data of a consenting person, as JSON in a file or on standard input. ' +
    '--report writes the signed report, with - as the last line of the output. ' +
    `${OPERATOR_HELP} ` +
    'Exits with 0: no fault, 1: a fault, 2: not run.',
  run: async (args) => {
    try {
      return await run(args, tools);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      return CANNOT_RUN;
    }
  },
});

async function run(args: string[], tools: DoctorTools): Promise<number> {
  const { asOperator, settings, ports, signed, readInput = operatorInput } = tools;
  const flags = { 'test-values': FLAG, paid: FLAG, json: FLAG };
  const options = { ...OPERATOR_OPTIONS, ...flags, provider: TEXT, file: TEXT, report: TEXT };
  const given = parseArgs({ args, options }).values;
  if (given.paid && given['test-values']) throw new CommandError('doctor: --test-values or --paid, not both');
  const operator = given.paid ? operatorOf('doctor --paid', given) : undefined;
  const paidFor = given.paid ? consented(await readInput(given.file)) : undefined;
  const config = settings();
  // the report contains the log of the adapters; stdout must contain only the report
  Logger.overrideLogger(false);
  const clients = new ProviderClients(config.providers, new Registry());
  const all = ports.flatMap((vendorsOf) => vendorsOf(config, clients));
  const named = all.filter(({ name }) => isMeant(name, given.provider));
  if (named.length === 0) {
    throw new CommandError(`doctor: --provider must be one of ${all.map(({ name }) => name).join(', ')}`);
  }
  if (operator) {
    // before anything is sent
    await asOperator({ ...operator, command: 'doctor' }, ({ dataSource, trail, reason }) =>
      trail.record(dataSource.manager, { action: 'VENDORS_PAID_CHECK', code: reason }),
    );
  }
  const checks = await examine(named, { hasTestValues: given['test-values'], paidFor });
  const report = reportOf(checks, config);
  say(given.json ? JSON.stringify(report) : tableOf(checks));
  if (given.report !== undefined) {
    const jws = signed(config, 'doctor-report+jws', report);
    if (given.report === '-') say(jws);
    else await writeFile(given.report, jws);
  }
  return report.is_green ? 0 : 1;
}

/** `cashfree` means `cashfree-pan` and `cashfree-bank`. */
const isMeant = (name: string, requested: string | undefined): boolean =>
  requested === undefined || name === requested || name.startsWith(`${requested}-`);

/** @throws CommandError that names the fields, never their values */
function consented(input: string): CheckValues {
  try {
    return checkValues.parse(JSON.parse(input));
  } catch {
    const names = Object.keys(checkValues.shape).join(', ');
    throw new CommandError(`doctor: --paid takes a JSON object with some of ${names}`);
  }
}

function reportOf(checks: readonly CheckResult[], { http, tokens }: UsersConfig): DoctorReport {
  return {
    service: 'users-service',
    issuer: tokens.issuer,
    environment: http.isProduction ? 'production' : 'development',
    checked_at: new Date().toISOString(),
    is_green: checks.every(({ outcome }) => outcome !== 'fault'),
    checks,
  };
}
