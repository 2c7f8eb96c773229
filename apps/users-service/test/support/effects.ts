import { sandboxUrl } from './sandbox.config.js';

/** Something that an outside party did because of us; `calls` counts how often it was asked for it. */
export interface Effect {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly idempotency_key: string | null;
  readonly calls: number;
}

/** What a party of the sandbox did about one subject, newest first. */
export async function effectsOf(party: string, subject: string): Promise<Effect[]> {
  const query = new URLSearchParams({ party, subject });
  const response = await fetch(`${sandboxUrl()}/api/effects?${query.toString()}`);
  return ((await response.json()) as { effects: Effect[] }).effects;
}
