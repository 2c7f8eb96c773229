// Ports of this machine: which are free, and who has the others.
import { execFileSync } from 'node:child_process';
import { createConnection, createServer } from 'node:net';

const listenOnce = (port) =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: got } = server.address();
      server.close(() => resolve(got));
    });
  });

/** Whether something accepts connections there. */
export const answers = (port, host) =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host });
    const finish = (open) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });

/** Whether nobody listens on PORT, neither on IPv4 nor on IPv6 (a browser takes either for localhost). */
export async function isFree(port) {
  try {
    await listenOnce(port);
  } catch {
    return false;
  }
  return !(await answers(port, '127.0.0.1')) && !(await answers(port, '::1'));
}

/** PREFERRED when it is free, else a port that the system gives. */
export async function freePort(preferred) {
  return preferred && (await isFree(preferred)) ? preferred : listenOnce(0);
}

/** Name and number of the process that listens on PORT, as far as this machine's tools can tell. */
export function whoListens(port) {
  const quiet = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  try {
    const [line] = execFileSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], quiet).match(
      /p\d+\nc.*/,
    );
    const [pid, name] = line.split('\n').map((field) => field.slice(1));
    return `${name}, pid ${pid}`;
  } catch {
    return undefined;
  }
}

/**
 * Complains about every taken port of WANTED ({service, port, variable}[]) at once, and says what to do.
 * COMMAND is what the user ran.
 */
export async function requireFreePorts(wanted, command) {
  const free = await Promise.all(wanted.map(({ port }) => isFree(port)));
  const taken = wanted.filter((_, index) => !free[index]);
  if (taken.length === 0) return;
  const complaints = taken.map(({ service, port }) => {
    const who = whoListens(port);
    return `Port ${port}, which ${service} needs, is taken${who ? ` by ${who}` : ''}.`;
  });
  const others = await Promise.all(
    taken.map(async ({ port, variable }) => `${variable}=${await freePort(port < 65_000 ? port + 100 : 0)}`),
  );
  throw new Error(
    `${complaints.join('\n')}\nStop that, or choose another port: ${others.join(' ')} ${command}`,
  );
}
