import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import { currentRequestId, inProviderSpan } from '@fd/platform';
import { createTransport, type Transporter } from 'nodemailer';
import { Histogram, type Registry } from 'prom-client';
import type { MailConfig } from '../../../../config/index.js';
import type { Resilience } from '../../../providers/resilience.js';
import type { Mail, MailOutcome, MailSender } from '../../mail.port.js';
import { smtpFailure } from './smtp-failure.js';

/** Longest that one mail may take. */
export const MAIL_TIMEOUT_MS = 1_200;
/** Connections that nobody needs are given back before servers and firewalls drop them. */
const IDLE_MS = 20_000;
const SILENCE_MS = 30_000;

/** Delivers mails over SMTP, several at once over connections that are kept. */
export class SmtpMailAdapter implements MailSender, OnApplicationShutdown {
  private readonly logger = new Logger(SmtpMailAdapter.name);
  private readonly transport: Transporter;
  private readonly domain: string;
  private readonly duration: Histogram<'outcome'>;

  /** @param maxCalls as many as the bulkhead lets run: a mail that hangs must not hold up others in a second queue */
  constructor(
    private readonly config: MailConfig & { readonly maxCalls: number },
    private readonly resilience: Resilience,
    metrics: Registry,
  ) {
    this.transport = transportOf(config);
    this.domain = /@([^\s>]+)/.exec(config.from)?.[1] ?? 'localhost';
    this.duration = new Histogram({
      name: 'mail_send_duration_seconds',
      help: 'Time the mail server took over a mail, by outcome: taken, address-refused, or the kind of failure',
      labelNames: ['outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2],
      registers: [metrics],
    });
  }

  async send(mail: Mail): Promise<MailOutcome> {
    // a second try would not fit into the time: whoever asks again gets the same code
    return this.resilience.run(false, (signal) =>
      inProviderSpan('mail', 'send', () => this.attempt(mail, signal)),
    );
  }

  onApplicationShutdown(): void {
    this.transport.close();
  }

  private async attempt({ to, subject, text, id }: Mail, signal: AbortSignal): Promise<MailOutcome> {
    const end = this.duration.startTimer();
    try {
      await this.transport.sendMail({
        from: this.config.from,
        // never parsed: a text could be read as several recipients
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${this.domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...requestHeader() },
        signal,
      });
      end({ outcome: 'taken' });
      return 'taken';
    } catch (error) {
      const { kind, detail } = smtpFailure(error);
      end({ outcome: kind });
      this.logger.warn({ msg: 'a mail was not taken', failure: kind, reason: detail });
      if (kind === 'address-refused') return kind;
      throw new ProviderError('mail', kind, { detail });
    }
  }
}

/** A mail server's log can be matched with ours. */
function requestHeader(): Record<string, string> {
  const requestId = currentRequestId();
  return requestId ? { 'X-Request-Id': requestId } : {};
}

function transportOf({
  smtpUrl,
  isTlsRequired,
  maxCalls,
}: {
  smtpUrl: string;
  isTlsRequired: boolean;
  maxCalls: number;
}): Transporter {
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: maxCalls,
    // once, for a connection that had died while it was idle
    maxRequeues: 1,
    connectionTimeout: MAIL_TIMEOUT_MS,
    dnsTimeout: MAIL_TIMEOUT_MS,
    greetingTimeout: MAIL_TIMEOUT_MS,
    idleTimeout: IDLE_MS,
    // of an idle connection too; how long a mail may take is the signal's to say
    socketTimeout: SILENCE_MS,
    // whoever has been given up on is not waited for
    socketCloseTimeout: 0,
    // in development a server's certificate is nobody's to check: no TLS, rather than TLS with anybody
    ...(isTlsRequired ? { requireTLS: true } : { ignoreTLS: true }),
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
}
