import { openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { EventVerificationError, missedEvents, type PartnerEvent, verifyEvent } from '@fd/client/server';

type Work = (event: PartnerEvent) => Promise<void> | void;

/** Returns a server that takes deliveries, and a function that fetches the events that it has missed. */
export function createBackend(settings: Readonly<Record<string, string | undefined>>, work: Work) {
  const { EVENT_SECRETS, USERS_URL: usersUrl, EVENTS_KEY: key, DONE_FILE } = settings;
  if (!EVENT_SECRETS || !usersUrl || !key || !DONE_FILE) throw new Error('a setting is missing');
  const secrets = EVENT_SECRETS.split(' ');
  // Yours is a table, written in the transaction of the work. Here each write goes to the disk at once (`s`).
  const file = openSync(DONE_FILE, 'as+');
  const lines = readFileSync(file, 'utf8').split('\n');
  const done = new Set(lines);
  const isKnown = (id: string) => done.has(id);
  let lastPulled = lines.findLast((line) => line.startsWith('pulled '))?.slice('pulled '.length);
  let queue = Promise.resolve();

  async function workOnce(event: PartnerEvent): Promise<void> {
    if (isKnown(event.id)) return; // it was under way when this delivery was verified
    await work(event);
    writeSync(file, `\n${event.id}`); // begins a line, because a crash may have cut the last one
    done.add(event.id);
  }
  // One event at a time: a repeat waits for the first, and finds its id.
  const handle = (event: PartnerEvent) => (queue = queue.catch(() => undefined).then(() => workOnce(event)));

  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const answer = (status: number) => response.writeHead(status).end();
    if (request.method !== 'POST' || request.url !== '/events') return answer(404);
    if (!(Number(request.headers['content-length']) <= 65_536)) return answer(413);
    void buffer(request)
      .then((body) => handle(verifyEvent({ body, headers: request.headers, secrets, isKnown })))
      .then(() => answer(204))
      .catch((error: unknown) => {
        if (error instanceof EventVerificationError && error.reason === 'repeated') return answer(204);
        console.error(`refused a delivery: ${String(error)}`);
        answer(error instanceof EventVerificationError ? 400 : 500); // after 500 the service sends it again
      });
  });

  const catchUp = async () => {
    for await (const event of missedEvents({ usersUrl, key, after: lastPulled })) {
      await handle(event);
      lastPulled = event.id; // never that of a delivered event, which may be later than one that still waits
      writeSync(file, `\npulled ${lastPulled}`);
    }
  };
  return { server, catchUp };
}
