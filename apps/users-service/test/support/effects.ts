import { sandboxUrl } from './sandbox.config.js';

/** An effect at a provider or issuer that our requests caused; `calls` counts the requests for it. */
export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly idempotency_key: string | null;
  readonly calls: number;
}

/** Returns the effects for one subject at a provider of the sandbox, newest first. */
export async function effectsOf(provider: string, subject: string): Promise<Effect[]> {
  const query = new URLSearchParams({ provider, subject });
  const response = await fetch(`${sandboxUrl()}/api/effects?${query.toString()}`);
  return ((await response.json()) as { effects: Effect[] }).effects;
}

/** Returns how often a vendor's Aadhaar was read, and how often that was charged. */
export async function aadhaarReadsOf(
  vendor: string,
  subject: string,
): Promise<{ reads: number; charges: number }> {
  const effects = await effectsOf(vendor, subject);
  const count = (name: string) => effects.filter(({ kind }) => kind === name).length;
  return { reads: count('aadhaar_read'), charges: count('aadhaar') };
}
