import { randomInt } from 'node:crypto';
import { sandboxUrl } from './sandbox.config.js';

export interface ReceivedMessage {
  readonly id: string;
  readonly to: string;
  readonly channel: string;
  readonly text: string;
  readonly code: string | null;
  readonly sent_at: string;
}

/** Messages that reached a phone or an email address, newest first. */
export async function inboxOf(phone: string): Promise<ReceivedMessage[]> {
  const response = await fetch(`${sandboxUrl()}/api/messages?to=${encodeURIComponent(phone)}`);
  const { messages } = (await response.json()) as { messages: ReceivedMessage[] };
  return messages;
}

/** The newest code that reached a phone. */
export async function codeOf(phone: string): Promise<string> {
  const [message] = await inboxOf(phone);
  if (!message?.code) throw new Error('no code reached the phone');
  return message.code;
}

/** A phone that no other test uses and that is none of the sandbox's special ones. */
export function aPhone(): string {
  return `918${String(randomInt(1e8)).padStart(8, '0')}1`;
}

/** A phone whose last four digits are special to the sandbox. */
export function aPhoneEnding(lastFour: string): string {
  return `918${String(randomInt(1e5)).padStart(5, '0')}${lastFour}`;
}

/** A code that is not the given one. */
export function wrongCode(right: string): string {
  return String((Number(right) + 1) % 1_000_000).padStart(6, '0');
}
