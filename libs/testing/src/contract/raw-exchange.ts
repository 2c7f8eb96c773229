import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test writes bytes as they are, which clients for people would not let pass. */
export class RawConnection {
  private readonly parts: Buffer[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('data', (part: Buffer) => this.parts.push(part));
    // a server that cuts the connection is what a test waits for
    socket.on('error', () => undefined);
  }

  static async to(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Everything that has come back so far. */
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

  /** As a client that hangs: nothing of what comes back is taken from now on. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  /** Everything that comes back until the server closes the connection. */
  async untilClosed(): Promise<string> {
    // not once() of node:events, which takes the error of a cut connection for its own
    if (!this.isClosed) await new Promise((resolve) => this.socket.once('close', resolve));
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Sends bytes as they are; answers what comes back until the server closes the connection. */
export async function rawExchange(port: number, bytes: string): Promise<string> {
  const connection = await RawConnection.to(port);
  return connection.write(bytes).untilClosed();
}
