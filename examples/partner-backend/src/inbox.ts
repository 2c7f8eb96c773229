import { fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { PartnerEvent } from '@fd/client/server';

type Entry = { readonly received: PartnerEvent } | { readonly done: string } | { readonly pulled: string };

/** Events that arrived, in a file that survives a crash. Yours is a table of your database, with the event's id as its key. */
export class Inbox {
  /** Events whose work is not done, in the order in which they arrived. */
  readonly waiting: PartnerEvent[] = [];
  /** Id of the last event that was fetched. One that was delivered may be later than others that were not. */
  lastPulled: string | undefined;
  private readonly known = new Set<string>();
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'a+');
    const text = readFileSync(this.file, 'utf8');
    // a crash may have cut the last entry, before its event was answered
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    ftruncateSync(this.file, Buffer.byteLength(complete));
    for (const line of complete.split('\n')) if (line) this.apply(JSON.parse(line) as Entry);
  }

  /** Stores an event. Drops a repeat. */
  add(event: PartnerEvent): void {
    if (!this.known.has(event.id)) this.write({ received: event });
  }

  addPulled(events: readonly PartnerEvent[]): void {
    for (const event of events) this.add(event);
    const last = events.at(-1);
    if (last) this.write({ pulled: last.id });
  }

  finish(event: PartnerEvent): void {
    this.write({ done: event.id });
  }

  private write(entry: Entry): void {
    writeSync(this.file, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.file);
    this.apply(entry);
  }

  private apply(entry: Entry): void {
    if ('received' in entry) {
      this.known.add(entry.received.id);
      this.waiting.push(entry.received);
    } else if ('done' in entry) this.waiting.shift();
    else this.lastPulled = entry.pulled;
  }
}
