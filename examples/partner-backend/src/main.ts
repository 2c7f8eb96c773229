// npm start: a partner's backend, with the settings of the README.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerEvent } from '@fd/client/server';
import { createBackend } from './backend.js';
import { Inbox } from './inbox.js';

const HOUR_MS = 3_600_000;

const log = (text: string): void => void process.stdout.write(`${text}\n`);

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** Your work: for an application that is ready, open the booking; for an unknown type, nothing. */
async function work({ type, data }: PartnerEvent): Promise<void> {
  await Promise.resolve();
  if (type === 'application.ready') log(`${data.user_id} can book with ${data.issuer_code}`);
  else log(`${data.user_id}: ${type}`);
}

const { server, catchUp } = createBackend({
  secrets: setting('EVENT_SECRETS').split(' '),
  usersUrl: setting('USERS_URL'),
  key: setting('EVENTS_KEY'),
  inbox: new Inbox(setting('INBOX_FILE')),
  work,
  log,
});
server.listen(Number(setting('PORT')));

for (;;) {
  await catchUp().catch((error: unknown) => log(`could not fetch events: ${String(error)}`));
  await sleep(HOUR_MS, undefined, { ref: false });
}
