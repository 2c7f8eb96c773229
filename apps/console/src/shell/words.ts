const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const seconds = new Intl.NumberFormat('en', { style: 'unit', unit: 'second', unitDisplay: 'long' });
const rupees = new Intl.NumberFormat('en-IN', {
  style: 'currency',
  currency: 'INR',
  minimumFractionDigits: 2,
});

/** `1 second`, `42 seconds`. */
export const inSeconds = (count: number): string => seconds.format(count);

/** `just now`, `12 seconds ago`, ...; older than a day: the date. */
export function ago(date: Date, now: Date): string {
  const age = Math.round((now.getTime() - date.getTime()) / 1_000);
  if (age < 5) return 'just now';
  if (age < 60) return relative.format(-age, 'second');
  if (age < 3_600) return relative.format(-Math.floor(age / 60), 'minute');
  if (age < 86_400) return relative.format(-Math.floor(age / 3_600), 'hour');
  return date.toLocaleDateString('en-GB');
}

/** Minutes until then, at least one. */
export const minutesLeft = (until: string, now: Date): number =>
  Math.max(1, Math.ceil((new Date(until).getTime() - now.getTime()) / 60_000));

/** 919999900001 as +91 99999 00001; any other text unchanged. */
export function readableAddress(address: string): string {
  return /^91\d{10}$/.test(address) ? `+91 ${address.slice(2, 7)} ${address.slice(7)}` : address;
}

/** An instant with its date: 9 Jun 2028, 14:05:09, in the time zone of the browser. */
export const readableTime = (at: string): string => times.format(new Date(at));

/** 2028-06-09 as 9 Jun 2028. */
export const readableDate = (date: string): string => dates.format(new Date(`${date}T00:00:00Z`));

export const inRupees = (amount: number): string => rupees.format(amount);

/** FD_DETAIL as Fd detail. */
export function spoken(token: string): string {
  const words = token.toLowerCase().replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
