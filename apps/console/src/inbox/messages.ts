import type { Message } from '../shell/sandbox-api.js';

/** A full address is queried; part of one is searched among the newest messages. */
export function isWholeAddress(text: string): boolean {
  return text.includes('@') || text.replace(/\D/g, '').length >= 10;
}

const plain = (text: string): string => text.toLowerCase().replace(/[\s+()-]/g, '');

/** The messages whose address contains the search text. */
export function messagesTo(messages: readonly Message[], search: string): readonly Message[] {
  return messages.filter(({ to }) => plain(to).includes(plain(search)));
}

/** Announcement of new messages for screen readers. */
export function arrivalText(fresh: readonly Message[], readable: (address: string) => string): string {
  const [first] = fresh;
  if (!first) return '';
  const what = fresh.length === 1 ? `New message to ${readable(first.to)}` : `${fresh.length} new messages`;
  return first.code ? `${what}, code ${[...first.code].join(' ')}` : what;
}
