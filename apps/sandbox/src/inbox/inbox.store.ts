import { Injectable } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { addressKey, type Message } from './message.js';

/** Messages that are kept; the oldest go first. */
export const INBOX_CAPACITY = 1_000;

/** Everything that anybody was sent since the start, in memory: the newest messages only. */
@Injectable()
export class Inbox {
  /** Oldest first. */
  private messages: Message[] = [];

  constructor(private readonly clock: Clock) {}

  deliver(message: Pick<Message, 'to' | 'channel' | 'text'>): Message {
    const delivered: Message = { id: uuidv7(), ...message, sentAt: this.clock.now() };
    this.messages.push(delivered);
    if (this.messages.length > INBOX_CAPACITY) this.messages.shift();
    return delivered;
  }

  /**
   * Newest first.
   * @param to only what went to this phone or email address
   */
  list(to?: string): Message[] {
    const key = to === undefined ? undefined : addressKey(to);
    return this.messages.filter((message) => key === undefined || addressKey(message.to) === key).reverse();
  }

  clear(): void {
    this.messages = [];
  }
}
