// The folders and services of this checkout.
import { existsSync, mkdirSync, chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** A setting of the caller's environment; an empty one counts as not set, as in the services. */
export const given = (name) => process.env[name] || undefined;

/** Changes variables of the caller's shell that are for other programs, for this process and its children. */
function dropForeignVariables() {
  const { env } = process;
  // they are about the caller's own PostgreSQL
  const foreign = given('DATABASE_URL') ? [] : Object.keys(env).filter((name) => /^(NODE_)?PG/.test(name));
  for (const name of foreign) delete env[name];
  // with NODE_USE_ENV_PROXY, calls of this machine would go to a proxy
  const proxied = given('no_proxy') ?? given('NO_PROXY');
  env.NO_PROXY = env.no_proxy = [proxied, 'localhost', '127.0.0.1'].filter(Boolean).join(',');
  // it would print passwords
  if (given('DEBUG')) env.DEBUG = `${env.DEBUG},-ioredis:*`;
}
dropForeignVariables();

/** All data of development: databases, generated secrets, logs. Tests use another folder than the developer's. */
export const dataFolder = process.env.FD_DATA_FOLDER || join(root, '.data');

/** Creates a folder below .data, which a database user may enter. */
export function dataPath(...parts) {
  const path = join(dataFolder, ...parts);
  if (!existsSync(dataFolder)) {
    mkdirSync(dataFolder);
    chmodSync(dataFolder, 0o711); // independent of the umask
  }
  mkdirSync(path, { recursive: true });
  return path;
}

export const services = ['users-service', 'master-service', 'sandbox'];

/** Ports of the services: the setting of each, and the variable that overrides it on this machine. */
export const PORTS = [
  { service: 'users-service', setting: 'PORT', variable: 'USERS_PORT', usual: 3001 },
  { service: 'master-service', setting: 'PORT', variable: 'MASTER_PORT', usual: 3002 },
  { service: 'sandbox', setting: 'PORT', variable: 'SANDBOX_PORT', usual: 3003 },
  { service: 'sandbox', setting: 'HTTPS_PORT', variable: 'SANDBOX_HTTPS_PORT', usual: 3443 },
  { service: 'sandbox', setting: 'SMTP_PORT', variable: 'SANDBOX_SMTP_PORT', usual: 2525 },
];

function chosenPort({ variable, usual }) {
  const chosen = Number(given(variable) ?? usual);
  if (Number.isInteger(chosen) && chosen > 0 && chosen < 65_536) return chosen;
  throw new Error(`${variable} must be a port from 1 to 65535, not "${given(variable)}".`);
}

/** The entries of PORTS of SERVICE, each with its chosen port and whether the caller chose it. */
export const portsOf = (service) =>
  PORTS.filter((own) => own.service === service).map((own) => ({
    ...own,
    port: chosenPort(own),
    isGiven: given(own.variable) !== undefined,
  }));

export const portOf = (service, setting = 'PORT') =>
  portsOf(service).find((own) => own.setting === setting).port;

export const baseUrl = (service) => `http://localhost:${portOf(service)}`;

export const appFolder = (service) => join(root, 'apps', service);

/** The caller's environment with the workspace's programs (tsc, nx, jest) on its PATH. */
export const toolEnvironment = () => ({
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
});
