import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddress } from './counted-address.js';

/** What a connection is used for: its open requests, and when the last one was answered. */
interface Use {
  requests: number;
  idleSince: number;
}

/** The open connections of a server, of which one address may hold only a share. */
export class OpenConnections {
  private readonly connections = new Map<Socket, Use>();
  private readonly byAddress = new Map<string, number>();

  /** @param maxPerAddress undefined: no limit, because a proxy holds the connections of all clients */
  constructor(private readonly maxPerAddress: number | undefined) {}

  /** Adds a connection, or closes it if its address already has its share. */
  add(connection: Socket): void {
    const address = countedAddress(connection.remoteAddress);
    const ofAddress = this.byAddress.get(address) ?? 0;
    if (ofAddress >= (this.maxPerAddress ?? Infinity)) return void connection.destroy();
    this.connections.set(connection, { requests: 0, idleSince: performance.now() });
    this.byAddress.set(address, ofAddress + 1);
    connection.once('close', () => this.remove(connection, address));
  }

  /** @param lingerMs how long the client may send the rest of an answered request */
  addRequest(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
    const { socket } = request;
    const use = this.connections.get(socket);
    if (!use) return;
    use.requests++;
    response.once('close', () => {
      use.requests--;
      use.idleSince = performance.now();
      // Node.js reads the rest, however slowly it comes, until the timeout of the whole request
      if (!request.complete) setTimeout(() => request.complete || socket.destroy(), lingerMs).unref();
    });
  }

  /** Closes connections without a request for longer. Node.js counts each byte as use, also blank lines between requests. */
  closeIdle(limitMs: number): void {
    const since = performance.now() - limitMs;
    for (const [connection, { requests, idleSince }] of this.connections)
      if (requests === 0 && idleSince < since) connection.destroy();
  }

  private remove(connection: Socket, address: string): void {
    this.connections.delete(connection);
    const left = this.byAddress.get(address)! - 1;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }

  /** Closes connections without a byte, which Node.js does not count as idle: opened in advance, or by a check of the port. */
  closeUnused(): void {
    for (const connection of this.connections.keys()) if (connection.bytesRead === 0) connection.destroy();
  }
}
