import { randomInt } from 'node:crypto';
import { eventually } from '@fd/testing';
import { sandboxUrl } from './sandbox.config.js';

interface ReceivedMessage {
  readonly id: string;
  readonly to: string;
  readonly channel: string;
  readonly text: string;
  readonly code: string | null;
  readonly sent_at: string;
}

/** Returns the messages to a phone or an email address, newest first. */
export async function inboxOf(phone: string): Promise<ReceivedMessage[]> {
  const response = await fetch(`${sandboxUrl()}/api/messages?to=${encodeURIComponent(phone)}`);
  const { messages } = (await response.json()) as { messages: ReceivedMessage[] };
  return messages;
}

/** Returns the newest code sent to a phone. */
export async function codeOf(phone: string): Promise<string> {
  // with the limits of production a provider may take the message after the answer to the request
  return eventually(async () => {
    const [message] = await inboxOf(phone);
    if (!message?.code) throw new Error('no code reached the phone');
    return message.code;
  });
}

/** Returns an unused phone that is not a magic number of the sandbox. */
export function aPhone(): string {
  return `918${String(randomInt(1e8)).padStart(8, '0')}1`;
}

/** Returns an unused phone whose last four digits are a magic number of the sandbox. */
export function aPhoneEnding(lastFour: string): string {
  return `918${String(randomInt(1e5)).padStart(5, '0')}${lastFour}`;
}

/** Returns a code that differs from the given one. */
export function wrongCode(right: string): string {
  return String((Number(right) + 1) % 1_000_000).padStart(6, '0');
}
