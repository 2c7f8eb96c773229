import type { AddressInfo } from 'node:net';
import type { UsersApp } from './users-app.js';

/** Returns the URL of a server in the test's own process. */
export function listeningUrl({ app }: Pick<UsersApp, 'app'>): string {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `http://127.0.0.1:${port}`;
}
