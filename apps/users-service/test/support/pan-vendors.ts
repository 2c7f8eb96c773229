import type { Environment } from '@fd/platform';
import { effectsOf } from './effects.js';
import { sandboxUrl } from './sandbox.config.js';
import { answersJson, type Behaviour, type ScriptedProvider } from './scripted-provider.js';
import { vendorSettings } from './settings.js';
import type { TestService } from './users-app.js';

/** Settings for vendors in the order in which they are asked, both played by the sandbox. */
export const vendors = (changes: Environment = {}): Environment => ({
  ...vendorSettings(sandboxUrl()),
  PAN_PROVIDERS: 'cashfree,setu',
  PAN_REGISTRY_URL: '',
  PAN_REGISTRY_API_KEY: '',
  ...changes,
});

export const WALLET_EMPTY = answersJson(422, { type: 'x', code: 'insufficient_balance', message: 'x' });

/** Cashfree's answer to the first of two calls. */
export const holderOf = (pan: string): Behaviour =>
  answersJson(200, { valid: true, pan, type: 'Individual', registered_name: 'ASHA RAO' });

/** Answers to the first and to the second call of a look-up at Cashfree. */
export const byCall =
  (cashfree: ScriptedProvider, first: Behaviour, second: Behaviour): Behaviour =>
  (response) =>
    (cashfree.calls.at(-1)!.path.endsWith('/pan') ? first : second)(response);

/** Returns the kinds of paid calls for a PAN at a vendor. */
export const kindsOf = async (vendor: string, pan: string): Promise<string[]> =>
  (await effectsOf(vendor, pan)).map(({ kind }) => kind).sort();

/** Returns the look-ups that count for a user. */
export const lookupsOf = (service: TestService, userId: string): Promise<unknown[]> =>
  service.dataSource.query('SELECT 1 FROM onboarding.pan_lookups WHERE user_id = $1', [userId]);
