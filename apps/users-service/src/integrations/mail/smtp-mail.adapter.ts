import { requestStore, timeLimit } from '@fd/envelope';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isError, PROVIDER_FAILURES, ProviderError, type ProviderFailure } from '@fd/errors';
import { histogramFromZero, inProviderSpan, type KnownHistogram } from '@fd/platform';
import { createTransport, type Transporter } from 'nodemailer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { Registry } from 'prom-client';
import { MailConfig, ProvidersConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-client.js';
import type { Resilience } from '../providers/resilience.js';
import type { Mail, MailOutcome, MailSender } from './mail.port.js';

const MAIL_TIMEOUT_MS = timeLimit(1_200);
/** Idle connections are closed before servers and firewalls drop them. */
const IDLE_MS = 20_000;
const SILENCE_MS = 30_000;

/** Delivers mails over a pool of SMTP connections. */
@Injectable()
export class SmtpMailAdapter implements MailSender, OnApplicationShutdown {
  private readonly logger = new Logger(SmtpMailAdapter.name);
  private readonly resilience: Resilience;
  private readonly transport: Transporter;
  private readonly domain: string;
  private readonly duration: KnownHistogram<{ readonly outcome: MailOutcome | ProviderFailure }>;

  constructor(
    private readonly config: MailConfig,
    { maxCalls }: ProvidersConfig,
    clients: ProviderClients,
    metrics: Registry,
  ) {
    this.resilience = clients.resilienceOf('mail', MAIL_TIMEOUT_MS);
    // as many connections as the bulkhead allows, so that a hanging mail does not delay others in a second queue
    this.transport = transportOf(config, maxCalls);
    this.domain = /@([^\s>]+)/.exec(config.from)?.[1] ?? 'localhost';
    this.duration = histogramFromZero(metrics, {
      name: 'mail_send_duration_seconds',
      help: 'Time of the mail server for a mail, by outcome: taken, address-refused, or the kind of failure',
      series: (['taken', 'address-refused', ...PROVIDER_FAILURES] as const).map((outcome) => ({ outcome })),
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2],
    });
  }

  async send(mail: Mail): Promise<MailOutcome> {
    // there is no time for a second try; a repeat of the call sends the same code
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
        // as an object: a parsed text could contain several recipients
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

/** Relates the mail server's log to ours. */
function requestHeader(): Record<string, string> {
  const requestId = requestStore()?.requestId;
  return requestId ? { 'X-Request-Id': requestId } : {};
}

function transportOf({ smtpUrl, isTlsRequired }: MailConfig, maxConnections: number): Transporter {
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections,
    // one retry, for a connection that was closed while idle
    maxRequeues: 1,
    connectionTimeout: MAIL_TIMEOUT_MS,
    dnsTimeout: MAIL_TIMEOUT_MS,
    greetingTimeout: MAIL_TIMEOUT_MS,
    idleTimeout: IDLE_MS,
    // also for idle connections; the signal limits the time of a mail
    socketTimeout: SILENCE_MS,
    // does not wait for a server after giving up
    socketCloseTimeout: 0,
    // in development certificates cannot be verified: no TLS is better than unverified TLS
    ...(isTlsRequired ? { requireTLS: true } : { ignoreTLS: true }),
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
}

/** Classifies a failed send. `detail` has codes only, because texts of mail servers contain the address. */
interface SmtpFailure {
  readonly kind: ProviderFailure | 'address-refused';
  readonly detail: string;
}

/** By nodemailer's code. Other codes are answers to SMTP commands: see below. */
const KINDS: Readonly<Record<string, ProviderFailure>> = {
  EAUTH: 'misconfigured',
  ENOAUTH: 'misconfigured',
  ETLS: 'misconfigured',
  ECONFIG: 'misconfigured',
  EDNS: 'unavailable',
  ESOCKET: 'unavailable',
  EPROTOCOL: 'malformed',
  // our timeout, or that of an SMTP command
  EABORT: 'timeout',
  ETIMEDOUT: 'timeout',
  // the connection broke; the server may have accepted the mail
  ECONNECTION: 'timeout',
};
/** System calls of a connection that broke after the conversation had started. */
const TALKING = ['read', 'write'];

/**
 * Permanent replies to RCPT that are about its address (RFC 5321, 4.2.3; RFC 7504 for 556), unless their enhanced status says
 * otherwise. Each of our mails has the same commands but for the address, so 501 and 554 are about it, too.
 */
const ABOUT_ADDRESS = [501, 550, 551, 553, 554, 556];
/** Enhanced status of a permanent refusal (RFC 3463), without the class. */
const ENHANCED = /^5[0-9]{2}[ -]5\.([0-9]{1,3}\.[0-9]{1,3})/;
/** More than the longest enhanced status: `550 5.999.999`. */
const MAX_STATUS = 20;
/** No such mailbox or domain, bad syntax, a disabled mailbox: about the address for any reply code, even after the text. */
const OF_ADDRESS = /^(?:1\.(?![78]$)|2\.1$)/;
/** Our sender, a full mailbox, a text that is too long, and policy, which concerns us: not about the address for any reply code. */
const OF_OTHERS = /^(?:1\.[78]$|2\.[23]$|7\.)/;

function isAboutAddress(command: string, responseCode: number, response: string): boolean {
  const [, enhanced = ''] = ENHANCED.exec(response.slice(0, MAX_STATUS)) ?? [];
  if (command !== 'RCPT TO') return command === 'DATA' && OF_ADDRESS.test(enhanced);
  return OF_ADDRESS.test(enhanced) || (ABOUT_ADDRESS.includes(responseCode) && !OF_OTHERS.test(enhanced));
}

export function smtpFailure(error: unknown): SmtpFailure {
  const failed: Partial<SMTPConnection.SMTPError> = isError(error) ? error : {};
  const { code = '', command = '', response = '', responseCode, syscall = '' } = failed;
  const detail = [code, command, responseCode].filter(Boolean).join(' ');
  if (responseCode === 421) return { kind: 'unavailable', detail };
  const kind = code === 'ESOCKET' && TALKING.includes(syscall) ? 'timeout' : KINDS[code];
  if (kind) return { kind, detail };
  if (responseCode === undefined) return { kind: 'malformed', detail: detail || 'unknown' };
  if (isAboutAddress(command, responseCode, response)) return { kind: 'address-refused', detail };
  // the server answered, so it is available for other mails
  return { kind: 'refused', detail };
}
