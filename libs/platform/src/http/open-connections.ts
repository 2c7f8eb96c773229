import type { Socket } from 'node:net';
import { countedAddress } from './counted-address.js';

/** The open connections of a server, of which one address may hold only a share. */
export class OpenConnections {
  private readonly connections = new Set<Socket>();
  private readonly byAddress = new Map<string, number>();

  /** @param maxPerAddress undefined: no limit, because a proxy holds the connections of all clients */
  constructor(private readonly maxPerAddress: number | undefined) {}

  /** Adds a connection, or closes it if its address already has its share. */
  add(connection: Socket): void {
    const address = countedAddress(connection.remoteAddress);
    const ofAddress = this.byAddress.get(address) ?? 0;
    if (ofAddress >= (this.maxPerAddress ?? Infinity)) return void connection.destroy();
    this.connections.add(connection);
    this.byAddress.set(address, ofAddress + 1);
    connection.once('close', () => this.remove(connection, address));
  }

  private remove(connection: Socket, address: string): void {
    this.connections.delete(connection);
    const left = this.byAddress.get(address)! - 1;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }

  /** Closes connections without a byte, which Node.js does not count as idle: opened in advance, or by a check of the port. */
  closeUnused(): void {
    for (const connection of this.connections) if (connection.bytesRead === 0) connection.destroy();
  }
}
