/** The form in which partner URLs are stored and compared: origin and path, without a slash at the end. */
export function normalisePartnerUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
