// Free and taken ports of this machine.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { commandLine } from '../processes/processes.mjs';

/** Below the ports that the system gives to outgoing connections and to servers without a port of their own. */
const [FIRST, LAST] = [10_000, 32_000];

/** Listens on PORT for a moment. */
async function listenOnce(port) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  await new Promise((closed) => server.close(closed));
}

/** Whether something accepts connections there. */
export async function answers(port, host) {
  const socket = createConnection({ port, host });
  return once(socket, 'connect', { signal: AbortSignal.timeout(5_000) })
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Whether PORT is free on IPv4 and IPv6 (localhost can be either in a browser). */
export async function isFree(port) {
  try {
    await listenOnce(port);
  } catch {
    return false;
  }
  return !(await answers(port, '127.0.0.1')) && !(await answers(port, '::1'));
}

/** Returns PREFERRED if it is free, else another free port. */
export async function freePort(preferred) {
  for (let port = preferred; ; port = randomInt(FIRST, LAST)) if (port && (await isFree(port))) return port;
}

/**
 * Calls START with a port as freePort chooses it. If another process takes that port before START listens on it, so that the error
 * of START says "Address already in use", calls START again with another port.
 */
export async function withFreePort(preferred, start) {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await freePort(tries === 1 ? preferred : undefined));
    } catch (error) {
      if (tries === 5 || !/address already in use/i.test(error.message)) throw error;
    }
  }
}

/** Command and number of the process that listens on PORT, if the machine has a tool to find it. */
function whoListens(port) {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fp'];
  try {
    const output = execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, pid] = output.match(/p(\d+)/);
    return ` by "${commandLine(pid).slice(0, 80)}", pid ${pid}`;
  } catch {
    return '';
  }
}

/**
 * Throws one error about all ports of REQUIRED ({service, port, variable, isGiven}[]) that are taken or chosen twice; it says what
 * to do. COMMAND is the user's command.
 */
export async function requireFreePorts(required, command) {
  const complaints = [];
  const chosen = new Map();
  const variables = [];
  for (const { service, port, variable, isGiven } of required) {
    const other = chosen.get(port);
    const isTaken = other ? `the port of ${other}` : !(await isFree(port)) && `taken${whoListens(port)}`;
    chosen.set(port, service);
    if (isTaken) complaints.push(`Port ${port}, which ${service} needs, is ${isTaken}.`);
    // those given before are part of the next command
    if (isTaken) variables.push(`${variable}=${await freePort(port < 65_000 ? port + 100 : 0)}`);
    else if (isGiven) variables.push(`${variable}=${port}`);
  }
  if (complaints.length === 0) return;
  const hint = `${variables.join(' ')} ${command}`;
  throw new Error(`${complaints.join('\n')}\nStop that, or choose another port: ${hint}`);
}
