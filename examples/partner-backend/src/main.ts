// npm start: a partner's backend, with the settings of the README.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartnerEvent } from '@fd/client/server';
import { createBackend } from './backend.js';
import { Inbox } from './inbox.js';
import { missedEvents } from './missed-events.js';
import { Worker } from './worker.js';

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

const [usersUrl, key] = [setting('USERS_URL'), setting('EVENTS_KEY')];
const inbox = new Inbox(setting('INBOX_FILE'));
const worker = new Worker(inbox, work, log, 5_000);
createBackend({ secrets: setting('EVENT_SECRETS').split(' '), inbox, worker, log }).listen(
  Number(setting('PORT')),
);

/** What the service keeps since the last time. */
async function catchUp(): Promise<void> {
  for await (const events of missedEvents(usersUrl, key, inbox.lastPulled)) inbox.addPulled(events);
  worker.wake();
}

for (;;) {
  await catchUp().catch((error: unknown) => log(`could not fetch events: ${String(error)}`));
  await sleep(HOUR_MS, undefined, { ref: false });
}
