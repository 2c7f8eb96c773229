// For specs: an image registry on this machine, with a password.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recorded } from '../dev/spec-workspace.mjs';
import { registryProgram } from '../stores/machine-programs.mjs';
import { answers, freePort } from '../stores/ports.mjs';

const USER = 'release';
const PASSWORD = 'example-password';
/** bcrypt, which Node.js lacks. */
const PASSWORD_HASH = '$2y$05$abcdefghijklmnopqrstuutctEcn9jLJdOiC0zNE0sKf5GrTF.I0C';

export const sha256 = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Starts a registry with its images in FOLDER. Returns host, settings (of a release), get(), putManifest() and end(). */
export async function startRegistry(folder) {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const at = (name) => join(folder, name);
  mkdirSync(folder);
  writeFileSync(at('htpasswd'), `${USER}:${PASSWORD_HASH}\n`);
  const config = {
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: at('data') } },
    auth: { htpasswd: { realm: 'release', path: at('htpasswd') } },
    http: { addr: host },
  };
  writeFileSync(at('config.yml'), JSON.stringify(config));
  // it has no certificate, which buildah would require
  writeFileSync(at('registries.conf'), `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
  const registry = recorded(await registryProgram(console.log), ['serve', at('config.yml')]);
  await registry.becomes(() => answers(port, '127.0.0.1'), 'There is no registry', 30_000);
  const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  const manifest = 'application/vnd.oci.image.manifest.v1+json';
  async function call(path, { headers, ...options }) {
    const response = await fetch(`http://${host}/v2/${path}`, {
      ...options,
      headers: { ...headers, authorization },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  }
  return {
    host,
    settings: {
      ...{ REGISTRY: `${host}/fd`, REGISTRY_USER: USER, REGISTRY_PASSWORD: PASSWORD },
      CONTAINERS_REGISTRIES_CONF: at('registries.conf'),
    },
    /** The bytes at PATH ("fd/users-service/manifests/1.0.0"). */
    get: (path) => call(path, { headers: { accept: manifest } }),
    putManifest: (path, body) => call(path, { method: 'PUT', body, headers: { 'content-type': manifest } }),
    end: async () => {
      registry.child.kill();
      await registry.exited;
    },
  };
}
