import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** An additional server that closes without waiting for connections. */
export class BoundServer {
  private readonly sockets = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** The bound port; throws before it listens. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /**
   * @param port 0: any free one
   * @throws Error of the system, such as EADDRINUSE
   */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  /** Cuts open connections: an idle one or one without an answer would never end. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
