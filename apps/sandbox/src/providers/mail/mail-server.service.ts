import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import PostalMime from 'postal-mime';
import { SANDBOX_CONFIG, type SandboxConfig } from '../../config/sandbox-config.js';
import { Effects } from '../../effects/effects.service.js';
import { BoundServer } from '../../http/bound-server.js';
import { Inbox } from '../../inbox/inbox.store.js';
import { behaviourOf } from '../../magic/magic-values.table.js';
import { SilentRecipients } from './silent-recipients.js';

/** The largest accepted mail, in bytes. */
export const MAX_MAIL_BYTES = 65_536;

/** Longer than the timeout of every sender. */
const IDLE_LIMIT_MS = 600_000;

type Done = (error?: Error | null) => void;

/** A mail server that accepts everything, with any user and password or none, except for magic addresses. */
@Injectable()
export class MailServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('MailServer');
  private readonly silent = new SilentRecipients();
  private readonly server: BoundServer;

  constructor(
    private readonly inbox: Inbox,
    private readonly effects: Effects,
    @Inject(SANDBOX_CONFIG) private readonly config: SandboxConfig,
  ) {
    const smtp = new SMTPServer({
      name: 'sandbox',
      logger: false,
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      maxClients: 500,
      size: MAX_MAIL_BYTES,
      socketTimeout: IDLE_LIMIT_MS,
      onAuth: (_auth, _session, done) => done(null, { user: 'anybody' }),
      onRcptTo: (recipient, session, done) => this.takeRecipient(recipient, session, done),
      onData: (stream, session, done) => void this.takeMail(stream, session).then(() => done(), done),
      onClose: (session) => this.silent.forget(session),
    });
    // a sender has disconnected; the message of the error may name it
    smtp.on('error', (error: NodeJS.ErrnoException) => {
      this.logger.warn({ msg: 'mail connection failed', code: error.code ?? error.name });
    });
    this.server = new BoundServer(smtp.server);
  }

  get port(): number {
    return this.server.port;
  }

  /** Senders that wait for an answer. */
  get silentCount(): number {
    return this.silent.count;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { port, host } = this.config.mail;
    await this.server.listen(port, host);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }

  private takeRecipient({ address }: SMTPServerAddress, session: SMTPServerSession, done: Done): void {
    const behaviour = behaviourOf('mail', 'email', address);
    this.logger.log({ msg: 'mail recipient', behaviour: behaviour ?? 'delivers' });
    switch (behaviour) {
      case 'unavailable':
        return done(smtpError(451, 'Mailbox is not available at the moment'));
      case 'rejected':
        return done(smtpError(550, 'No such mailbox'));
      case 'silent':
        return this.silent.hold(session, () => done(smtpError(421, 'Too many are waiting')));
      case undefined:
        return done();
    }
  }

  /** Delivers a mail to each recipient once for each Message-ID. */
  private async takeMail(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const parts: Buffer[] = [];
    // the rest of an oversized mail must be read and dropped
    for await (const part of stream as AsyncIterable<Buffer>) if (!stream.sizeExceeded) parts.push(part);
    if (stream.sizeExceeded) throw smtpError(552, `A mail may have ${MAX_MAIL_BYTES} bytes`);
    const { messageId, text, html } = await PostalMime.parse(Buffer.concat(parts));
    // the recipients of the envelope count, not those of the mail's headers
    for (const { address: to } of envelope.rcptTo) {
      // once for each recipient; hosts ignore the case of addresses
      const idempotencyKey = messageId && `${messageId} ${to.toLowerCase()}`;
      this.effects.once({ provider: 'mail', kind: 'message', subject: to, idempotencyKey }, () => {
        this.inbox.deliver({ to, channel: 'email', text: (text ?? html ?? '').trimEnd() });
      });
    }
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
