import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection for bytes that HTTP clients would refuse to send. */
export class RawConnection {
  private readonly parts: Buffer[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('data', (part: Buffer) => this.parts.push(part));
    // tests expect the server to cut the connection
    socket.on('error', () => undefined);
  }

  /** @param options `localAddress` to call from; `allowHalfOpen` to stay open after the server has ended its side */
  static async to(
    port: number,
    options: { localAddress?: string; allowHalfOpen?: boolean } = {},
  ): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', ...options });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** All bytes received so far. */
  get received(): string {
    return Buffer.concat(this.parts).toString();
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  write(bytes: string): this {
    this.socket.write(bytes);
    return this;
  }

  /** Stops reading, like a client that hangs. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** Resolves with all received bytes when the server closes the connection. */
  async untilClosed(): Promise<string> {
    // not once() of node:events, which rejects with the error of a cut connection
    if (!this.isClosed) await new Promise((resolve) => this.socket.once('close', resolve));
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Sends bytes unchanged. Resolves with all received bytes when the server closes the connection. */
export async function rawExchange(port: number, bytes: string): Promise<string> {
  const connection = await RawConnection.to(port);
  return connection.write(bytes).untilClosed();
}
