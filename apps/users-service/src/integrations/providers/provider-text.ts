import { z } from 'zod';

/** Maximum length of a stored name or id. */
export const MAX_PROVIDER_TEXT = 200;

/** Maximum length of an address. No text that we read is longer. */
export const MAX_PROVIDER_LINK = 2_048;

/** PostgreSQL cannot store NUL or lone surrogates; names and ids contain no other control characters. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;
/** As above, but in lines. */
const PRINTABLE_LINES = /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u;

/** An id, exactly as the provider writes it. */
export const providerId = z.string().min(1).max(MAX_PROVIDER_TEXT).regex(PRINTABLE);

export const providerName = z.string().trim().min(1).max(MAX_PROVIDER_TEXT).regex(PRINTABLE);

/** A short text, without the space around it; it may be empty. */
export const providerText = (maxLength: number) => z.string().trim().max(maxLength).regex(PRINTABLE);

/** An optional name: missing, null or blank. */
export const optionalName = providerText(MAX_PROVIDER_TEXT)
  .nullish()
  .transform((text) => text || null);

/** A text to display, of one or several lines. */
export const providerParagraph = (maxLength: number) =>
  z.string().min(1).max(maxLength).regex(PRINTABLE_LINES);

/** The address of a provider's page, for browsers. */
export const providerLink = z
  .url({ protocol: /^https$/ })
  .max(MAX_PROVIDER_LINK)
  // the URL parser accepts more than may be stored
  .regex(PRINTABLE);
