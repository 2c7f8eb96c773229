import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Mode = 'open' | 'cut' | 'frozen';

/**
 * A TCP proxy on 127.0.0.1 in front of a store. A test can cut it (connections are reset and refused), freeze it (bytes are held
 * silently), slow it down, make it abort answers, redirect it and heal it.
 */
export class TcpProxy {
  private mode: Mode = 'open';
  private delayMs = 0;
  private answerBytes = Infinity;
  private asked = 0;
  private isAnswered = true;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private readonly lost = new Set<readonly [Socket, Socket]>();
  private readonly beingReset = new WeakSet<Socket>();

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  /** @param targetUrl URL of the store; only host and port are used */
  static async before(targetUrl: string): Promise<TcpProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, new URL(targetUrl));
  }

  /** The store's URL with the proxy's address. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Round trips: how often a client has sent bytes after an answer of the store. */
  get roundTrips(): number {
    return this.asked;
  }

  cut(): void {
    this.mode = 'cut';
    for (const pair of this.pairs) for (const socket of pair) this.reset(socket);
  }

  freeze(): void {
    this.mode = 'frozen';
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Silences existing connections permanently, as when a host vanishes; new ones work. */
  loseExisting(): void {
    for (const pair of this.pairs) {
      for (const socket of pair) socket.pause();
      this.lost.add(pair);
    }
    this.pairs.clear();
  }

  /** Sends new connections to another store, as after a failover; existing ones remain. */
  redirect(targetUrl: string): void {
    this.target = new URL(targetUrl);
  }

  /** Delays the store's answers. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Resets the connection after this many bytes of an answer. */
  breakOff(bytes: number): void {
    this.answerBytes = bytes;
  }

  heal(): void {
    this.mode = 'open';
    this.delayMs = 0;
    this.answerBytes = Infinity;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    for (const pair of this.lost) for (const socket of pair) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  /**
   * Node.js 20 loses track of a connection that is reset during a normal close: it remains
   * open, and the process loops forever closing it at its end.
   */
  private reset(socket: Socket): void {
    if (socket.writableEnded) return this.end(socket);
    this.beingReset.add(socket);
    socket.resetAndDestroy();
  }

  private end(socket: Socket): void {
    if (!this.beingReset.has(socket)) socket.destroy();
  }

  private pass(chunk: Buffer, to: Socket, delayMs: number): void {
    if (delayMs === 0) to.write(chunk);
    else setTimeout(() => to.write(chunk), delayMs);
  }

  private ask(chunk: Buffer, store: Socket): void {
    if (this.isAnswered) this.asked++;
    this.isAnswered = false;
    this.pass(chunk, store, 0);
  }

  private answer(chunk: Buffer, client: Socket): void {
    this.isAnswered = true;
    if (this.answerBytes === Infinity) return this.pass(chunk, client, this.delayMs);
    client.write(chunk.subarray(0, this.answerBytes), () => this.reset(client));
  }

  private accept(client: Socket): void {
    if (this.mode === 'cut') return this.reset(client);
    const store = connect({ host: this.target.hostname, port: Number(this.target.port), noDelay: true });
    const pair = [client, store] as const;
    this.pairs.add(pair);
    for (const [from, to] of [pair, [store, client] as const]) {
      from.on('data', (chunk: Buffer) =>
        from === store ? this.answer(chunk, client) : this.ask(chunk, store),
      );
      const end = () => {
        // a host that has vanished ends nothing
        if (!this.lost.has(pair)) this.end(to);
      };
      from.on('error', end);
      from.on('close', () => {
        end();
        this.pairs.delete(pair);
      });
      if (this.mode === 'frozen') from.pause();
    }
  }
}
