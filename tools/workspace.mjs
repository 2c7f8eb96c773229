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

/**
 * The services: the port each listens on, and the variable that changes it. What a service listens on besides has a
 * name, and the service's own setting for it.
 */
export const services = {
  'users-service': { port: 3001, portVariable: 'USERS_PORT' },
  'master-service': { port: 3002, portVariable: 'MASTER_PORT' },
  sandbox: {
    port: 3003,
    portVariable: 'SANDBOX_PORT',
    further: [
      { name: 'https', port: 3443, portVariable: 'SANDBOX_HTTPS_PORT', setting: 'HTTPS_PORT' },
      { name: 'smtp', port: 2525, portVariable: 'SANDBOX_SMTP_PORT', setting: 'SMTP_PORT' },
    ],
  },
};

/** A setting of the caller's environment; an empty one counts as not set, as it does for the services. */
export const given = (name) => process.env[name] || undefined;

function chosenPort({ port, portVariable }) {
  const chosen = Number(given(portVariable) ?? port);
  if (Number.isInteger(chosen) && chosen > 0 && chosen < 65_536) return chosen;
  throw new Error(`${portVariable} must be a port from 1 to 65535, not "${given(portVariable)}".`);
}

/** The port of each service by name. */
export const servicePorts = () =>
  Object.fromEntries(Object.entries(services).map(([service, own]) => [service, chosenPort(own)]));

/** What SERVICE listens on besides: [{name, setting, port}]. */
export const furtherPorts = (service) =>
  (services[service].further ?? []).map((own) => ({ ...own, port: chosenPort(own) }));

/** All ports that SERVICE listens on, with what changes them: [{service, port, variable}]. */
export const portsOf = (service) =>
  [services[service], ...(services[service].further ?? [])].map((own) => {
    return { service, port: chosenPort(own), variable: own.portVariable };
  });

export const appFolder = (service) => join(root, 'apps', service);

/** The caller's environment with the workspace's programs (tsc, nx, jest) on its PATH. */
export const toolEnvironment = () => ({
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
});
