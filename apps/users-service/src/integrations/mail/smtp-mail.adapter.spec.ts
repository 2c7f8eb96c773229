import '@fd/testing/use-generous-limits';
import { Registry } from 'prom-client';
import { ScriptedMailServer } from '../../../test/support/scripted-mail-server.js';
import { settings } from '../../../test/support/settings.js';
import { usersConfig } from '../../config/index.js';
import { ProviderClients } from '../providers/provider-client.js';
import { smtpFailure, SmtpMailAdapter } from './smtp-mail.adapter.js';

describe('SmtpMailAdapter', () => {
  let server: ScriptedMailServer;
  beforeEach(async () => {
    server = await ScriptedMailServer.start();
  });
  afterEach(() => server.stop());

  const sender = (isTlsRequired: boolean) => {
    const { providers } = usersConfig(settings());
    const config = { smtpUrl: server.url, from: 'Deposits <no-reply@deposits.example>', isTlsRequired };
    const registry = new Registry();
    return new SmtpMailAdapter(config, providers, new ProviderClients(providers, registry), registry);
  };
  const mail = { to: 'asha@example.com', subject: 'Hello', text: 'one text', id: 'mail-1' };

  it('sends nothing unencrypted if TLS is required', async () => {
    const adapter = sender(true);
    await expect(adapter.send(mail)).rejects.toMatchObject({
      name: 'ProviderError',
      failure: 'misconfigured',
    });
    expect([server.mails, server.recipients]).toEqual([[], []]);
    adapter.onApplicationShutdown();
  });

  it('does not use TLS if it is not required', async () => {
    server.script = { EHLO: '250-mail.example\r\n250 STARTTLS' };
    const adapter = sender(false);
    expect(await adapter.send(mail)).toBe('taken');
    expect(server.mails).toHaveLength(1);
    adapter.onApplicationShutdown();
  });

  it.each(['asha@example.com\r\nBcc: x@example.com', 'asha@example.com>\r\nRCPT TO:<x@example.com'])(
    'adds no other recipient for the address %j',
    async (to) => {
      const adapter = sender(false);
      await adapter.send({ ...mail, to }).catch(() => undefined);
      expect(server.recipients.filter((recipient) => /<x@example\.com>/.test(recipient))).toEqual([]);
      expect(server.mails.join('')).not.toMatch(/^(Bcc|To): x@/m);
      adapter.onApplicationShutdown();
    },
  );
});

const failed = (fields: object): Error => Object.assign(new Error('550 asha@example.com is unknown'), fields);
const reply = (command: string, response: string, code = 'EENVELOPE'): Error =>
  failed({ code, command, response, responseCode: Number(response.slice(0, 3)) });

describe('smtpFailure', () => {
  it.each([
    ['a mailbox that does not exist', reply('RCPT TO', '550 no such mailbox'), 'address-refused'],
    [
      'a mailbox that does not exist, with an enhanced status',
      reply('RCPT TO', '550 5.1.1 unknown'),
      'address-refused',
    ],
    ['an address that the server cannot parse', reply('RCPT TO', '501 5.1.3 bad address'), 'address-refused'],
    ['an address that is not ASCII', reply('RCPT TO', '553 5.6.7 no SMTPUTF8'), 'address-refused'],
    ['a permanent refusal of the address', reply('RCPT TO', '554 delivery error'), 'address-refused'],
    ['a domain without mail', reply('RCPT TO', '556 5.1.10 null MX'), 'address-refused'],
    ['an unusual reply with the status of an address', reply('RCPT TO', '552 5.1.1 no'), 'address-refused'],
    ['a disabled mailbox', reply('RCPT TO', '554-5.2.1 disabled\n554 5.2.1 closed'), 'address-refused'],
    [
      'a mailbox that is missing only after the text',
      reply('DATA', '554 5.1.1 no such user', 'EMESSAGE'),
      'address-refused',
    ],
    ['a refusal by policy', reply('RCPT TO', '550 5.7.1 relaying denied'), 'refused'],
    [
      'a refusal by policy over several lines',
      reply('RCPT TO', '550-5.7.1 relaying\n550 5.7.1 denied'),
      'refused',
    ],
    ['a full mailbox', reply('RCPT TO', '552 5.2.2 full'), 'refused'],
    ['a mailbox that is busy', reply('RCPT TO', '450 4.2.1 later'), 'refused'],
    ['a sender that is refused with the recipient', reply('RCPT TO', '550 5.1.8 no such domain'), 'refused'],
    ['a full mailbox, with the reply of a missing one', reply('RCPT TO', '550 5.2.2 over quota'), 'refused'],
    ['a blocked network', reply('RCPT TO', '554 5.7.1 client host blocked'), 'refused'],
    ['a missing login', reply('RCPT TO', '530 5.7.0 authenticate first'), 'refused'],
    ['commands in the wrong order', reply('RCPT TO', '503 5.5.1 MAIL first'), 'refused'],
    ['a refused sender', reply('MAIL FROM', '550 no'), 'refused'],
    ['a refused form of the sender', reply('MAIL FROM', '501 5.1.7 bad sender'), 'refused'],
    ['a refused text', reply('DATA', '554 spam', 'EMESSAGE'), 'refused'],
    ['a server that ends the session', reply('RCPT TO', '421 bye'), 'unavailable'],
    ['credentials that are wrong', reply('AUTH LOGIN', '535 no', 'EAUTH'), 'misconfigured'],
    ['a server without TLS', failed({ code: 'ETLS', command: 'STARTTLS' }), 'misconfigured'],
    ['a host that is not reached', failed({ code: 'ESOCKET', command: 'CONN' }), 'unavailable'],
    [
      'no listener on the port',
      failed({ code: 'ESOCKET', command: 'CONN', syscall: 'connect' }),
      'unavailable',
    ],
    ['a connection that was reset', failed({ code: 'ESOCKET', command: 'CONN', syscall: 'read' }), 'timeout'],
    ['a connection that was closed', failed({ code: 'ECONNECTION', command: 'CONN' }), 'timeout'],
    ['a host without an address', failed({ code: 'EDNS', command: 'CONN' }), 'unavailable'],
    ['silence', failed({ code: 'ETIMEDOUT', command: 'CONN' }), 'timeout'],
    ['our own time limit', failed({ code: 'EABORT' }), 'timeout'],
    ['another protocol', failed({ code: 'EPROTOCOL', command: 'CONN' }), 'malformed'],
    ['a plain error', new Error('asha@example.com'), 'malformed'],
    ['a text instead of an error', 'asha@example.com', 'malformed'],
  ])('classifies %s', (_name, error, kind) => {
    const failure = smtpFailure(error);
    expect(failure.kind).toBe(kind);
    expect(failure.detail).not.toContain('asha');
    expect(failure.detail).not.toBe('');
  });
});
