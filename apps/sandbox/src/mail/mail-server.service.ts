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
import type { ListenConfig } from '../config/sandbox-config.js';
import { BoundServer } from '../listening/bound-server.js';
import { behaviourOf } from '../magic/magic-values.table.js';
import { MailService } from './mail.service.js';
import { SilentRecipients } from './silent-recipients.js';

/** Injection token of where mail is taken. */
export const MAIL_LISTEN = Symbol('where mail is taken');

/** Largest mail that is taken, in bytes. */
export const MAX_MAIL_BYTES = 65_536;

/** Longer than any sender waits: who is left without an answer is to give up first. */
const IDLE_LIMIT_MS = 600_000;

type Done = (error?: Error | null) => void;

/** A mail server that takes everything, with any user and password or none, except for what the magic values say. */
@Injectable()
export class MailServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('MailServer');
  private readonly silent = new SilentRecipients();
  private readonly server: BoundServer;

  constructor(
    private readonly mail: MailService,
    @Inject(MAIL_LISTEN) private readonly listen: ListenConfig,
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
    // a sender that breaks off; the message may name it
    smtp.on('error', (error: NodeJS.ErrnoException) => {
      this.logger.warn({ msg: 'mail connection failed', code: error.code ?? error.name });
    });
    this.server = new BoundServer(smtp.server);
  }

  get port(): number {
    return this.server.port;
  }

  /** Senders that wait for an answer they will not get. */
  get silentCount(): number {
    return this.silent.count;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.server.listen(this.listen.port, this.listen.host);
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

  private async takeMail(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const parts: Buffer[] = [];
    // the rest of one that is too large must be read, but need not be kept
    for await (const part of stream as AsyncIterable<Buffer>) if (!stream.sizeExceeded) parts.push(part);
    if (stream.sizeExceeded) throw smtpError(552, `A mail may have ${MAX_MAIL_BYTES} bytes`);
    await this.mail.accept(
      Buffer.concat(parts),
      envelope.rcptTo.map(({ address }) => address),
    );
  }
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
