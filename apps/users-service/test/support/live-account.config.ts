import type { Environment } from '@fd/platform';

/**
 * Settings of an account at a vendor's own sandbox, which a person has put into the environment with `LIVE_` before their
 * names. Undefined when one of them is missing: the contract is then tested against our stubs alone.
 */
export function liveAccount(names: readonly string[]): Environment | undefined {
  const account = Object.fromEntries(names.map((name) => [name, process.env[`LIVE_${name}`]]));
  return names.every((name) => account[name]) ? account : undefined;
}
