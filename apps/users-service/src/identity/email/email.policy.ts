import type { OtpSubject } from '../otp/otp-code.js';
import { emailKey } from '@fd/contracts';

/**
 * For whom a code is. It belongs to the pair of user and address, and so do all counts of sends and tries: whoever
 * asks for codes to an address that is not theirs can neither use up its owner's budget, nor lock the owner out, nor
 * verify it with a code that the owner was sent. That leaves the address itself without a budget of its own, so what
 * one user may send to all addresses together is limited instead: see below.
 */
export function emailSubject(userId: string, email: string): OtpSubject {
  return { purpose: 'email', userId, value: emailKey(email) };
}

/**
 * Mails that one user may cause within 24 hours, to whatever addresses. It keeps us from being used to flood
 * somebody's mailbox: another 50 mails cost another phone. It is also what makes guessing hopeless for a user who
 * tries one address after the other: 50 codes with 5 tries each, 1 chance in 4,000 a day, to end up with an address
 * of somebody unknown. A success does not give mails back, or a mailbox of one's own would lift the limit.
 */
export const MAX_MAILS_PER_DAY = 50;
