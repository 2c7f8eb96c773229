import { timeLimit } from '@fd/envelope';
import { isError, ProviderError } from '@fd/errors';
import addressparser from 'nodemailer/lib/addressparser';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailConfig } from '../../config/index.js';
import { CERTIFICATE } from '../doctor/advice.js';
import type { VendorsOf } from '../doctor/doctor.command.js';
import type { CheckedVendor, VendorCheck } from '../doctor/vendor-check.js';
import { smtpFailure } from './smtp-mail.adapter.js';

/** Time limit of each step of the conversation. */
const LIMIT_MS = timeLimit(5_000);

const ADVICE = {
  'not offered':
    'The mail server does not encrypt at this port, and production sends no unencrypted mail: use the port and the protocol of its documentation in MAIL_SMTP_URL (smtp and 587, or smtps and 465).',
  credentials:
    'The mail server refuses the user and password in MAIL_SMTP_URL: check both, and their percent-encoding.',
  'credentials missing': 'The mail server requires a user and a password: add both to MAIL_SMTP_URL.',
  'not SMTP': 'The answer is not that of a mail server: check the host and the port in MAIL_SMTP_URL.',
  sender:
    'The mail server does not let us send as MAIL_FROM: have the address or its domain verified by the provider of the server, with SPF and DKIM records.',
  recipient:
    'The mail server accepts our sender, but not postmaster@ of its domain: check that the account may send to any recipient, and that the domain has a postmaster.',
};

/** Check of the mail server for the command `doctor`. It ends the SMTP conversation before DATA, so no mail is sent. */
export const mailVendors: VendorsOf = ({ mail }) => {
  const url = new URL(mail.smtpUrl);
  const isEncrypted = mail.isTlsRequired || url.protocol === 'smtps:';
  return [
    {
      port: 'mail',
      name: 'mail',
      // without the user and the password
      baseUrl: `${url.protocol}//${url.host}`,
      credentials: {},
      settings: 'MAIL_SMTP_URL',
      advice: ADVICE,
      reach: () => converse(mail, { ignoreTLS: true, requireTLS: false }, () => 'the server greets us'),
      checks: [
        ...(isEncrypted ? [tls(mail)] : []),
        ...(url.username ? [credentials(mail)] : []),
        sender(mail),
      ],
    } satisfies CheckedVendor,
  ];
};

const tls = (mail: MailConfig): VendorCheck => ({
  name: 'TLS',
  run: () => converse(mail, {}, () => 'encrypted, with a trusted certificate'),
});

const credentials = (mail: MailConfig): VendorCheck => ({
  name: 'credentials',
  run: () =>
    converse(mail, {}, async (connection) => {
      await logIn(connection, mail);
      return 'the mail server accepts our user and password';
    }),
});

const sender = (mail: MailConfig): VendorCheck => ({
  name: 'sender',
  run: async () => {
    const address = addressparser(mail.from, { flatten: true })[0]?.address ?? mail.from;
    // every domain has one (RFC 5321, 4.5.1)
    const recipient = `postmaster@${address.split('@').at(-1)!}`;
    const replies: { readonly step: 'MAIL FROM' | 'RCPT TO'; readonly status: number }[] = [];
    // the library's only way to send single SMTP commands
    const envelope: SMTPConnection.CustomAuthenticationHandlers = {
      ENVELOPE: async (server) => {
        replies.push({ step: 'MAIL FROM', ...(await server.sendCommand(`MAIL FROM:<${address}>`)) });
        if (isAccepted(replies))
          replies.push({ step: 'RCPT TO', ...(await server.sendCommand(`RCPT TO:<${recipient}>`)) });
      },
    };
    return converse(mail, { customAuth: envelope }, async (connection) => {
      if (new URL(mail.smtpUrl).username) await logIn(connection, mail);
      await logInWith(connection, { method: 'ENVELOPE' });
      if (isAccepted(replies)) return 'the mail server accepts our sender and a recipient; no mail was sent';
      throw refusal(replies.at(-1)!);
    });
  },
});

const isAccepted = (replies: readonly { readonly status: number }[]): boolean =>
  replies.every(({ status }) => status >= 200 && status < 300);

function refusal({ step, status }: { step: 'MAIL FROM' | 'RCPT TO'; status: number }): ProviderError {
  if (status === 421 || (status >= 400 && status < 500)) return failed('unavailable', `${step} ${status}`);
  if (status === 530) return failed('misconfigured', `${step} ${status}: credentials missing`);
  return failed('refused', `${step} ${status}: ${step === 'MAIL FROM' ? 'sender' : 'recipient'}`);
}

/** Runs WORK on a connection. @param options differences from the options for sending mail. @throws ProviderError */
async function converse(
  { smtpUrl, isTlsRequired }: MailConfig,
  options: SMTPConnection.Options,
  work: (connection: SMTPConnection) => string | Promise<string>,
): Promise<string> {
  const { hostname, port, protocol } = new URL(smtpUrl);
  const connection = new SMTPConnection({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port ? { port } : {}),
    secure: protocol === 'smtps:',
    ...(isTlsRequired ? { requireTLS: true } : { ignoreTLS: true }),
    connectionTimeout: LIMIT_MS,
    dnsTimeout: LIMIT_MS,
    greetingTimeout: LIMIT_MS,
    socketTimeout: LIMIT_MS,
    socketCloseTimeout: 0,
    logger: false,
    ...options,
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      connection.on('error', reject);
      connection.connect(() => {
        Promise.resolve(connection).then(work).then(resolve, reject);
      });
    });
  } catch (error) {
    throw error instanceof ProviderError ? error : failureOf(error);
  } finally {
    connection.close();
  }
}

const logIn = (connection: SMTPConnection, { smtpUrl }: MailConfig): Promise<void> => {
  const { username, password } = new URL(smtpUrl);
  return logInWith(connection, { user: decodeURIComponent(username), pass: decodeURIComponent(password) });
};

const logInWith = (connection: SMTPConnection, auth: SMTPConnection.AuthenticationType): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.login(auth, (error) => (error ? reject(error) : resolve()));
  });

/** As `smtpFailure`, with more detail for operators. */
function failureOf(error: unknown): ProviderError {
  const { code, originalCode }: Partial<SMTPConnection.SMTPError> = isError(error) ? error : {};
  if (originalCode && CERTIFICATE.test(originalCode)) return failed('misconfigured', originalCode);
  if (code === 'ETLS') return failed('misconfigured', 'TLS: not offered');
  if (code === 'EPROTOCOL') return failed('malformed', 'not SMTP');
  if (code === 'EAUTH') return failed('misconfigured', 'AUTH: credentials');
  const { kind, detail } = smtpFailure(error);
  if (kind === 'unavailable') return failed(kind, originalCode ?? code ?? detail);
  return failed(kind === 'address-refused' ? 'refused' : kind, detail);
}

const failed = (failure: ProviderError['failure'], detail: string): ProviderError =>
  new ProviderError('mail', failure, { detail });
