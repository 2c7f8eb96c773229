import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { exchange } from '../providers/http-exchange.js';
import { faultOf } from './advice.js';
import { type CheckedVendor, CheckFault, type CheckValues, type VendorCheck } from './vendor-check.js';

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
    const about = { port: vendor.port, vendor: vendor.name, check: check.name };
    const values = blockedBy ? `not run: see ${blockedBy}` : valuesFor(vendor, check, options);
    if (typeof values === 'string') {
      results.push({ ...about, outcome: 'skipped', detail: values, ms: 0 });
      continue;
    }
    const begin = performance.now();
    const took = () => ({
      ...(check.paid && { cost: check.paid.cost }),
      ms: Math.round(performance.now() - begin),
    });
    try {
      results.push({ ...about, outcome: 'ok', detail: await check.run(values), ...took() });
    } catch (error) {
      const { what: detail, action } = faultOf(error, vendor);
      results.push({ ...about, outcome: 'fault', detail, action, ...took() });
      if (concernsEveryCall(check, error)) blockedBy = check.name;
    }
  }
  return results;
}

const concernsEveryCall = ({ name }: VendorCheck, error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.failure === 'misconfigured' || (name === REACH && error.failure !== 'malformed'));

function valuesFor(
  { baseUrl }: CheckedVendor,
  { paid }: VendorCheck,
  { hasTestValues, paidFor }: DoctorOptions,
): CheckValues | string {
  if (!paid) return {};
  if (paidFor) {
    const missing = paid.needs.filter((name) => paidFor[name] === undefined);
    return missing.length > 0 ? `needs ${missing.join(', ')}` : paidFor;
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
    const call = { url, credentials };
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
