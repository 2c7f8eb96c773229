/** A mail of plain text to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every try of one mail, so that it is delivered once: letters, digits, `-` and `_`. */
  readonly id: string;
}

/** `address-refused`: the mailbox does not exist; a repeat cannot succeed. */
export type MailOutcome = 'taken' | 'address-refused';

/** Delivers mails from our one sender. */
export interface MailSender {
  /**
   * Hands a mail over; waits at most 1.2 seconds for the mail server.
   * @throws ProviderError; after `timeout` the mail may still arrive
   */
  send(mail: Mail): Promise<MailOutcome>;
}

export const MAIL_SENDER = Symbol('mail sender');
