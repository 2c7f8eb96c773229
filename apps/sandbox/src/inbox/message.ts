/** Channel of a message. */
export const CHANNELS = ['sms', 'email'] as const;
type Channel = (typeof CHANNELS)[number];

/** A message to a phone or an email address. */
export interface Message {
  /** UUIDv7. */
  readonly id: string;
  /** As sent: a phone with its country code and without a plus sign, or an email address. */
  readonly to: string;
  readonly channel: Channel;
  /** As sent: untrusted, never HTML. */
  readonly text: string;
  readonly sentAt: Date;
}

/** Returns the first run of exactly six digits, as phones find a one-time code in a message; null without one. */
export function codeIn(text: string): string | null {
  return /(?<![0-9])[0-9]{6}(?![0-9])/.exec(text)?.[0] ?? null;
}

/**
 * Returns the form in which addresses are compared. People type phones with a plus sign, spaces, dashes or without the
 * country code (and a plus sign in a query arrives as a space); mail servers ignore the case.
 */
export function addressKey(address: string): string {
  if (address.includes('@')) return address.trim().toLowerCase();
  const digits = address.replace(/[^0-9]/g, '');
  return digits.length === 10 ? `91${digits}` : digits;
}
