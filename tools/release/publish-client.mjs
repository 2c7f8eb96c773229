// node tools/release/publish-client.mjs: publishes libs/client to NPM_REGISTRY with NPM_TOKEN. Does nothing if the version is
// published already; fails if the client has changed since.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { root } from '../workspace.mjs';
import { runStep, setting } from './release.mjs';

const client = join(root, 'libs/client');

async function publishClient(folder) {
  const registry = new URL(setting('NPM_REGISTRY'));
  const userconfig = join(folder, 'npmrc');
  const { host, pathname } = registry;
  writeFileSync(userconfig, `//${host}${pathname}:_authToken=${setting('NPM_TOKEN')}\n`, { mode: 0o600 });
  // packing runs code of dependencies, so it gets no token
  delete process.env.NPM_TOKEN;
  const npm = (...args) => {
    const at = ['--registry', registry.href, '--userconfig', userconfig];
    return runProgram('npm failed', 'npm', [...args, ...at], { cwd: client });
  };
  const { name, version } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const spec = `${name}@${version}`;
  const pack = ['pack', '--silent', '--pack-destination', folder];
  await runProgram('The client cannot be packed', 'npm', pack, { cwd: client });
  const archive = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  const published = await npm('view', spec, 'dist.integrity').catch((error) => {
    if (error.message.includes('E404')) return '';
    throw error;
  });
  if (published.trim() === integrity) return `${spec} is published already`;
  if (published)
    throw new Error(`${spec} is published already with other contents: give the client a new version.`);
  await npm('publish', archive);
  return `published ${spec}, ${integrity}`;
}

await runStep(async () => console.log(await inTemporaryFolder('client', publishClient)));
