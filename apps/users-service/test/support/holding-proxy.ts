import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sandboxUrl } from './sandbox.config.js';

/** Where a call is held: before the provider receives it, or before the service receives the answer. */
export type HoldPoint = 'before the call' | 'before the answer';

interface Hold {
  readonly path: RegExp;
  readonly point: HoldPoint;
  readonly caught: () => void;
  readonly released: Promise<void>;
}

/** How a provider is off: it answers 503, or nothing listens at its address. */
export type Outage = 'answers 503' | 'refuses connections';

/** A held call. */
interface HeldCall {
  /** Resolves once a call is held. */
  readonly caught: Promise<void>;
  /** Releases the call and all later ones. */
  release(): void;
}

/**
 * A proxy between the service and the sandbox. It holds one call, so that a test can kill the service in the middle of
 * it, and it plays the outage of a provider.
 */
export class HoldingProxy {
  private hold: Hold | undefined;
  private port = 0;
  private isAway = false;
  private readonly server = createServer((request, response) => void this.forward(request, response));

  static async start(): Promise<HoldingProxy> {
    const proxy = new HoldingProxy();
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    proxy.port = (proxy.server.address() as AddressInfo).port;
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async turnOff(outage: Outage): Promise<void> {
    if (outage === 'answers 503') this.isAway = true;
    else await this.stop();
  }

  async turnOn(): Promise<void> {
    this.isAway = false;
    if (!this.server.listening) await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
  }

  /** Holds the next call whose path matches; later ones pass. */
  holdNext(path: RegExp, point: HoldPoint): HeldCall {
    let caught = (): void => undefined;
    let release = (): void => undefined;
    const caughtPromise = new Promise<void>((resolve) => (caught = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    this.hold = { path, point, caught, released };
    return { caught: caughtPromise, release };
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (this.isAway) {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const hold = this.take(request.url!);
    if (hold?.point === 'before the call') await wait(hold);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(`${sandboxUrl()}${request.url}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (hold?.point === 'before the answer') await wait(hold);
    if (response.closed) return;
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(body);
  }

  private take(path: string): Hold | undefined {
    const { hold } = this;
    if (!hold?.path.test(path)) return undefined;
    this.hold = undefined;
    return hold;
  }
}

async function wait({ caught, released }: Hold): Promise<void> {
  caught();
  await released;
}
