import { z } from 'zod';

/** Longest name or id of a provider's that we keep. */
export const MAX_PROVIDER_TEXT = 200;

/** PostgreSQL keeps neither NUL nor halves of characters, and no name or id has any other control character in it. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;
/** As above, but in lines. */
const PRINTABLE_LINES = /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u;

/** An id, exactly as the provider writes it. */
export const providerId = z.string().min(1).max(MAX_PROVIDER_TEXT).regex(PRINTABLE);

/** A name, without the space around it. */
export const providerName = z.string().trim().min(1).max(MAX_PROVIDER_TEXT).regex(PRINTABLE);

/** A short text, without the space around it; it may be empty. */
export const providerText = (maxLength: number) => z.string().trim().max(maxLength).regex(PRINTABLE);

/** A text for people, of one line or several. */
export const providerParagraph = (maxLength: number) =>
  z.string().min(1).max(maxLength).regex(PRINTABLE_LINES);

/** The address of a provider's page, for browsers. */
export const providerLink = z
  .url({ protocol: /^https$/ })
  .max(2_048)
  // the parser that judges it puts up with more than may be kept
  .regex(PRINTABLE);
