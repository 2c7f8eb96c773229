import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of this process beside the main one: told where to listen, and ended at once. */
export class BoundServer {
  private readonly sockets = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** The port that it got; throws before it listens. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /**
   * @param port 0: any that is free
   * @throws Error of the system, as EADDRINUSE
   */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  /** Cuts what is open: connections that wait, as a browser's or one that is left without an answer, never end. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
