// The subscription of the sample partner to events. The sandbox plays its backend.
import { existsSync } from 'node:fs';
import { writePrivately } from './dev-env.mjs';
import { partners } from './sandbox-data.mjs';
import { portOf } from '../workspace.mjs';

const eventsOf = (action, ...options) => ['events', action, '--url', partners[0].url, ...options];

/** The command that lets the sample partner get events at the sandbox. */
export const eventsSet = () =>
  eventsOf('set', '--signing', 'hmac', '--address', `http://127.0.0.1:${portOf('sandbox')}/partner/events`);

const found = (pattern, output) => pattern.exec(output)?.[1];
const secretIn = (output) => found(/^secret\t(\S+)$/m, output);
const keyIn = (output) => found(/^key\t\S+\t(\S+)$/m, output);

/**
 * Stores in FILE what the partner's backend keeps: the secret that verifies its events, and its key, which are printed only once: the secret
 * in SET, the output of eventsSet(), if the subscription is new. One that is older than FILE, of a database that is not ours, gets a
 * further secret. RUN runs a command of users-service and resolves with its output.
 */
export async function keepEventSecrets(file, set, run) {
  const first = secretIn(set);
  if (!first && existsSync(file)) return;
  const secret = first ?? secretIn(await run(eventsOf('roll-secret')));
  const key = keyIn(await run(eventsOf('add-key')));
  writePrivately(file, { secret, key });
}
