import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A step of the SMTP conversation that the server answers. */
type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message';

/** The answer to a step instead of success: a line, `silence`, or `reset`, which closes the connection. */
export type MailAnswer = string;

const CONSENT: Readonly<Record<Step, string>> = {
  greeting: '220 mail.example ESMTP',
  EHLO: '250 mail.example',
  AUTH: '235 welcome',
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 go ahead',
  message: '250 taken',
};

/** A scripted SMTP server on a real connection; keeps the mails it received. */
export class ScriptedMailServer {
  /** Mails as received, with headers. */
  readonly mails: string[] = [];
  /** The RCPT command of each recipient. */
  readonly recipients: string[] = [];
  connections = 0;
  script: Partial<Record<Step, MailAnswer>> = {};

  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => this.accept(socket));

  /** @param tls PEM key and certificate for STARTTLS; without it the server does not encrypt */
  private constructor(private readonly tls?: { readonly key: string; readonly cert: string }) {}

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<ScriptedMailServer> {
    const mail = new ScriptedMailServer(tls);
    await once(mail.server.listen(0, '127.0.0.1'), 'listening');
    return mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Closes all connections, as a restarted server does. */
  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    this.answer(socket, 'greeting');
    this.listen(socket);
  }

  private listen(socket: Socket): void {
    socket.on('error', () => undefined);
    let heard = '';
    let isMessage = false;
    socket.on('data', (part) => {
      heard += part.toString();
      for (let end = endOf(heard, isMessage); end > 0; end = endOf(heard, isMessage)) {
        const said = heard.slice(0, end);
        heard = heard.slice(end);
        if (isMessage) this.mails.push(said);
        isMessage = this.hear(socket, said, isMessage);
      }
    });
  }

  /** @returns whether the message follows */
  private hear(socket: Socket, said: string, isMessage: boolean): boolean {
    const verb = said.slice(0, 4).toUpperCase();
    if (verb === 'RCPT') this.recipients.push(said.trim());
    const step = isMessage ? 'message' : verb;
    if (verb === 'STAR') {
      this.encrypt(socket);
      return false;
    }
    if (!(step in CONSENT)) {
      socket.write('250 OK\r\n');
      return false;
    }
    return this.answer(socket, step as Step) && step === 'DATA';
  }

  private encrypt(socket: Socket): void {
    if (!this.tls) {
      socket.write('502 no TLS here\r\n');
      return;
    }
    socket.write('220 go ahead\r\n');
    socket.removeAllListeners('data');
    this.listen(new TLSSocket(socket, { isServer: true, ...this.tls }));
  }

  /** @returns whether the answer was success */
  private answer(socket: Socket, step: Step): boolean {
    const answer = this.script[step] ?? CONSENT[step];
    if (answer === 'reset') socket.destroy();
    else if (answer !== 'silence') socket.write(`${answer}\r\n`);
    return answer === CONSENT[step];
  }
}

/** Returns the end of the next command line or message (with its full stop), or 0 while it is incomplete. */
function endOf(heard: string, isMessage: boolean): number {
  const mark = isMessage ? '\r\n.\r\n' : '\r\n';
  const at = heard.indexOf(mark);
  return at < 0 ? 0 : at + mark.length;
}
