/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every try of one mail, so that it is delivered once: letters, digits, `-` and `_`. */
  readonly id: string;
}

/** `address-refused`: there is no such mailbox, and asking again will not change that. */
export type MailOutcome = 'taken' | 'address-refused';

/** Delivers mails from our one sender. */
export interface MailSender {
  /**
   * Hands a mail over; waits at most 1.2 seconds for the mail server.
   * @throws ProviderError; after `timeout` the mail may arrive all the same
   */
  send(mail: Mail): Promise<MailOutcome>;
}

/** Injection token of the sender. */
export const MAIL_SENDER = Symbol('mail sender');
