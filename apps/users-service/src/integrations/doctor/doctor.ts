import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { exchange } from '../providers/http-exchange.js';
import { type Fault, faultOf } from './advice.js';
import {
  type CheckedVendor,
  CheckFault,
  type CheckValues,
  FIELDS,
  type VendorCheck,
} from './vendor-check.js';

interface DoctorOptions {
  /** Sends fictional people to vendor sandboxes and to our own sandbox, which charge nothing. */
  readonly hasTestValues: boolean;
  /** Values of a consenting person, for paid checks. */
  readonly paidFor?: CheckValues | undefined;
}

/** Result of a check. `skipped` has its reason in `detail`. */
export interface CheckResult {
  readonly port: CheckedVendor['port'];
  readonly vendor: string;
  readonly check: string;
  readonly outcome: 'ok' | 'fault' | 'skipped';
  readonly detail: string;
  readonly action?: string;
  /** Price charged by the vendor. */
  readonly cost?: string;
  readonly ms: number;
}

/** Vendors' signatures and tokens are valid for minutes; NTP keeps a clock right to a second. */
const MAX_SKEW_SECONDS = 30;
const REACH_LIMIT_MS = timeLimit(5_000);

/** Hosts of vendors that charge nothing. */
const VENDOR_SANDBOXES = ['sandbox.cashfree.com', 'dg-sandbox.setu.co'];
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Checks vendors in parallel, and the checks of each in order. */
export async function examine(
  vendors: readonly CheckedVendor[],
  options: DoctorOptions,
): Promise<CheckResult[]> {
  const results = await Promise.all(vendors.map((vendor) => examineOne(vendor, options)));
  return results.flat();
}

/** A fault that concerns every call ends the vendor's checks, which would only report it again. */
async function examineOne(vendor: CheckedVendor, options: DoctorOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let blockedBy: string | undefined;
  for (const check of [reach(vendor), ...vendor.checks]) {
    const result = blockedBy
      ? resultOf(vendor, check, { outcome: 'skipped', detail: `not run: see ${blockedBy}` })
      : await runCheck(vendor, check, options);
    if (result.isFatal) blockedBy = check.name;
    results.push(result.result);
  }
  return results;
}

interface CheckRun {
  readonly result: CheckResult;
  readonly isFatal: boolean;
}

async function runCheck(
  vendor: CheckedVendor,
  check: VendorCheck,
  options: DoctorOptions,
): Promise<CheckRun> {
  const values = valuesFor(vendor, check, options);
  if (typeof values === 'string') return resultOf(vendor, check, { outcome: 'skipped', detail: values });
  const begin = performance.now();
  const took = () => ({ ms: Math.round(performance.now() - begin), cost: check.paid?.cost });
  try {
    return resultOf(vendor, check, { outcome: 'ok', detail: await check.run(values), ...took() });
  } catch (error) {
    const { what: detail, action }: Fault = faultOf(error, vendor);
    const isFatal =
      error instanceof ProviderError &&
      (error.failure === 'misconfigured' || (check.name === REACH && error.failure !== 'malformed'));
    return { ...resultOf(vendor, check, { outcome: 'fault', detail, action, ...took() }), isFatal };
  }
}

function resultOf(
  { port, name: vendor }: CheckedVendor,
  { name: check }: VendorCheck,
  {
    cost,
    action,
    ...found
  }: Pick<CheckResult, 'outcome' | 'detail'> & {
    action?: string;
    cost?: string | undefined;
    ms?: number;
  },
): CheckRun {
  const result = { port, vendor, check, ms: 0, ...found, ...(action && { action }), ...(cost && { cost }) };
  return { result, isFatal: false };
}

function valuesFor(
  { baseUrl }: CheckedVendor,
  { paid }: VendorCheck,
  { hasTestValues, paidFor }: DoctorOptions,
): CheckValues | string {
  if (!paid) return {};
  if (paidFor) {
    const missing = paid.needs.filter((name) => paidFor[name] === undefined);
    return missing.length > 0 ? `needs ${missing.map((name) => FIELDS[name]).join(', ')}` : paidFor;
  }
  const { hostname } = new URL(baseUrl);
  if (!hasTestValues) return `costs ${paid.cost}: run with --paid`;
  return [...VENDOR_SANDBOXES, ...LOOPBACK].includes(hostname)
    ? paid.testValues
    : `costs ${paid.cost} at ${hostname}, which accepts no test values: run with --paid`;
}

const REACH = 'reach';

/** Checks that the vendor is reachable over a trusted certificate, and that its clock agrees with ours. */
const reach = ({ name, baseUrl: url, credentials, reach: ownWay }: CheckedVendor): VendorCheck => ({
  name: REACH,
  run: async () => {
    if (ownWay) return ownWay();
    const call = { method: 'GET', url, credentials } as const;
    const answer = await exchange(name, call, AbortSignal.timeout(REACH_LIMIT_MS)).catch((error: unknown) => {
      if (error instanceof ProviderError && error.detail === 'redirect') return undefined;
      throw error;
    });
    const vendorTime = Date.parse(answer?.date ?? '');
    if (Number.isNaN(vendorTime)) return 'reached; its clock is not known';
    const skew = Math.round(Math.abs(vendorTime - Date.now()) / 1_000);
    if (skew <= MAX_SKEW_SECONDS) return `reached; clocks differ by ${skew} s`;
    throw new CheckFault(
      `the clocks of this machine and of the vendor differ by ${skew} s`,
      'Set the clock of this machine by NTP (chronyc tracking): with a wrong clock signatures and tokens are refused.',
    );
  },
});
