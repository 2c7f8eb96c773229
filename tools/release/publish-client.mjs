// node tools/release/publish-client.mjs FOLDER: publishes the client that build.mjs has packed in FOLDER to NPM_REGISTRY with NPM_TOKEN.
// Does nothing if the version is published already; fails if the client has changed since.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inTemporaryFolder, readJson } from '../files.mjs';
import { runProgram } from '../processes/processes.mjs';
import { runStep, setting } from './release.mjs';

async function publishClient(folder, temporary) {
  const registry = new URL(setting('NPM_REGISTRY'));
  const userconfig = join(temporary, 'npmrc');
  const { host, pathname } = registry;
  writeFileSync(userconfig, `//${host}${pathname}:_authToken=${setting('NPM_TOKEN')}\n`, { mode: 0o600 });
  const npm = (...args) =>
    runProgram('npm failed', 'npm', [...args, '--registry', registry.href, '--userconfig', userconfig]);
  const { name, version } = readJson('libs/client/package.json');
  const spec = `${name}@${version}`;
  const archive = resolve(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  const published = await npm('view', spec, 'dist.integrity').catch((error) => {
    if (error.message.includes('E404')) return '';
    throw error;
  });
  if (published.trim() === integrity) return `${spec} is published already`;
  if (published)
    throw new Error(`${spec} is published already with other contents: give the client a new version.`);
  await npm('publish', archive, '--ignore-scripts');
  return `published ${spec}, ${integrity}`;
}

await runStep(async (folder) =>
  console.log(await inTemporaryFolder('client', (temporary) => publishClient(folder, temporary))),
);
