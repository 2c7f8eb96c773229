// The checkout that these tools stand in, and the services in it.
import { existsSync, mkdirSync, chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Everything that a development run keeps: databases, made-up secrets, logs. */
export const dataFolder = join(root, '.data');

/** Creates the folder below .data that PARTS name, and .data so that a database user may enter it. */
export function dataPath(...parts) {
  const path = join(dataFolder, ...parts);
  if (!existsSync(dataFolder)) {
    mkdirSync(dataFolder);
    chmodSync(dataFolder, 0o711); // whatever the umask is
  }
  mkdirSync(path, { recursive: true });
  return path;
}

export const services = ['users-service', 'master-service', 'sandbox'];

/** What the services listen on: each one's setting for it, and the variable that changes it on this machine. */
export const PORTS = [
  { service: 'users-service', setting: 'PORT', variable: 'USERS_PORT', usual: 3001 },
  { service: 'master-service', setting: 'PORT', variable: 'MASTER_PORT', usual: 3002 },
  { service: 'sandbox', setting: 'PORT', variable: 'SANDBOX_PORT', usual: 3003 },
  { service: 'sandbox', setting: 'HTTPS_PORT', variable: 'SANDBOX_HTTPS_PORT', usual: 3443 },
  { service: 'sandbox', setting: 'SMTP_PORT', variable: 'SANDBOX_SMTP_PORT', usual: 2525 },
];

/** A setting of the caller's environment; an empty one counts as not set, as it does for the services. */
export const given = (name) => process.env[name] || undefined;

function chosenPort({ variable, usual }) {
  const chosen = Number(given(variable) ?? usual);
  if (Number.isInteger(chosen) && chosen > 0 && chosen < 65_536) return chosen;
  throw new Error(`${variable} must be a port from 1 to 65535, not "${given(variable)}".`);
}

/** The lines of PORTS about SERVICE, each with the port that was chosen. */
export const portsOf = (service) =>
  PORTS.filter((own) => own.service === service).map((own) => ({ ...own, port: chosenPort(own) }));

export const portOf = (service, setting = 'PORT') =>
  portsOf(service).find((own) => own.setting === setting).port;

export const baseUrl = (service) => `http://localhost:${portOf(service)}`;

export const appFolder = (service) => join(root, 'apps', service);

/** The caller's environment with the workspace's programs (tsc, nx, jest) on its PATH. */
export const toolEnvironment = () => ({
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
});
