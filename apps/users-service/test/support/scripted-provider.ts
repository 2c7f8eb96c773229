import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a call without a body. */
  readonly body: { to?: string; template_id?: string; text?: string } & Record<string, unknown>;
}

export type Behaviour = (response: ServerResponse) => void;

export const answersJson =
  (status: number, body: unknown): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** Answers and does not end: 64 KiB every 5 ms, until the connection closes. */
export const pours =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    const pour = setInterval(() => response.write('1'.repeat(65_536)), 5);
    response.on('close', () => clearInterval(pour));
  };

/** Settings for a replica all of whose providers hang: such a call fails by its time limit on any machine. */
export const SHORT_WAIT = { PROVIDER_TIMEOUT_MS: '100' };

/** Behaviours of an SMS provider. */
export const BEHAVIOURS = {
  accepts: answersJson(202, { message_id: 'm-1' }),
  refuses: answersJson(422, { error: 'no' }),
  fails: answersJson(500, { error: 'oops' }),
  throttles: answersJson(429, { error: 'slow down' }),
  rejectsKey: answersJson(401, { error: 'who are you' }),
  hangs: () => undefined,
  answersHtml: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  answersNothing: (response) => response.writeHead(200).end(),
  answersOtherJson: answersJson(200, { status: 'error' }),
  answersHuge: (response) => response.writeHead(200).end('x'.repeat(1_000_000)),
  redirects: (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
  resets: (response) => response.socket?.resetAndDestroy(),
  breaksOff: (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"message_id"', () => response.socket?.destroy());
  },
  drips: (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
  },
} satisfies Record<string, Behaviour>;

function bodyOf(headers: IncomingHttpHeaders, text: string): SeenCall['body'] {
  if (headers['content-type'] === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return JSON.parse(text || '{}') as SeenCall['body'];
}

/** A scripted provider over real HTTP. */
export class ScriptedProvider {
  readonly calls: SeenCall[] = [];
  behaviour: Behaviour = BEHAVIOURS.accepts;

  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      this.calls.push({
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: bodyOf(request.headers, Buffer.concat(parts).toString()),
      });
      this.behaviour(response);
    });
  });

  static async start(): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider();
    await once(provider.server.listen(0, '127.0.0.1'), 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/messages`;
  }

  /** Returns the calls for one phone. */
  callsTo(phone: string): SeenCall[] {
    return this.calls.filter(({ body }) => body.to === phone);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
