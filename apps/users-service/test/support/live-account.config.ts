import type { Environment } from '@fd/platform';

/**
 * Reads the settings of an account at a vendor's own sandbox from environment variables with the prefix `LIVE_`.
 * @returns undefined if one is missing: the contract is then tested against our stubs alone
 */
export function liveAccount(names: readonly string[]): Environment | undefined {
  const account = Object.fromEntries(names.map((name) => [name, process.env[`LIVE_${name}`]]));
  return names.every((name) => account[name]) ? account : undefined;
}
