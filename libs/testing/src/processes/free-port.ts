import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to outgoing connections and to servers without a port of their own. */
const FIRST = 10_000;

/** How many of them this process takes its ports from: two workers seldom have the same ones. */
const SHARE = 2_750;
const first = FIRST + (process.pid % 8) * SHARE;

const given = new Set<number>();

/** A port on which nothing listens, and which no other caller or outgoing connection, and hardly another worker, gets before the caller listens on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, first + SHARE);
    // after that many some of them are long free again
    if (given.size > SHARE / 2) given.clear();
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
