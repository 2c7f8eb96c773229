import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { BoundedMap } from '../http/bounded-map.js';
import { addressKey, type Message } from './message.js';

/** Maximum of stored messages; the oldest are dropped first. */
export const INBOX_CAPACITY = 1_000;

/** All messages since the start, in memory. */
@Injectable()
export class Inbox {
  private readonly messages = new BoundedMap<string, Message>(INBOX_CAPACITY);

  constructor(private readonly clock: Clock) {}

  deliver(message: Pick<Message, 'to' | 'channel' | 'text'>): Message {
    const delivered: Message = { id: uuidv7(), ...message, sentAt: this.clock.now() };
    this.messages.set(delivered.id, delivered);
    return delivered;
  }

  /** Returns messages, newest first; only those to one phone or email address where it is given. */
  list(to?: string): Message[] {
    const newestFirst = [...this.messages.values()].reverse();
    if (to === undefined) return newestFirst;
    const key = addressKey(to);
    return newestFirst.filter((message) => addressKey(message.to) === key);
  }

  clear(): void {
    this.messages.clear();
  }
}
