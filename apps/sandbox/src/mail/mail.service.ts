import { Injectable } from '@nestjs/common';
import PostalMime from 'postal-mime';
import { Effects } from '../effects/effects.service.js';
import { Inbox } from '../inbox/inbox.store.js';

/** Takes mails and delivers each to the inboxes of its recipients once. */
@Injectable()
export class MailService {
  constructor(
    private readonly inbox: Inbox,
    private readonly effects: Effects,
  ) {}

  /**
   * A mail whose Message-ID was delivered to a recipient is not delivered there again.
   * @param raw the mail as it travelled (RFC 5322)
   * @param recipients of the envelope; what the mail says about its recipients does not count
   */
  async accept(raw: Buffer, recipients: readonly string[]): Promise<void> {
    const { messageId, text, html } = await PostalMime.parse(raw);
    for (const to of recipients) {
      // each recipient gets it once, and hosts ignore the case of addresses
      const idempotencyKey = messageId && `${messageId} ${to.toLowerCase()}`;
      this.effects.once({ party: 'mail', kind: 'message', subject: to, idempotencyKey }, () => {
        this.inbox.deliver({ to, channel: 'email', text: (text ?? html ?? '').trimEnd() });
      });
    }
  }
}
