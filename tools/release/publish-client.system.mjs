import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { json } from 'node:stream/consumers';
import { recorded } from '../dev/spec-workspace.mjs';
import { root } from '../workspace.mjs';

const PATH = '/team/@fd%2fclient';
const TOKEN = 'token-of-the-release';

const integrityOf = (archive) => `sha512-${createHash('sha512').update(archive).digest('base64')}`;

describe('publishing the client', () => {
  /** The package that npm has sent: its description and its archive. */
  let packument;
  let calls;
  let registry;
  before(async () => {
    registry = createServer(async (request, response) => {
      const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
      calls.push(request.method);
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401, {});
      if (request.url.split('?')[0].toLowerCase() !== PATH) return answer(500, {});
      if (request.method === 'PUT') packument = await json(request);
      return packument ? answer(200, packument) : answer(404, { error: 'not_found' });
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
  });
  after(() => registry.close());

  async function publish(settings) {
    calls = [];
    const env = {
      ...process.env,
      NPM_REGISTRY: `http://127.0.0.1:${registry.address().port}/team/`,
      NPM_TOKEN: TOKEN,
      ...settings,
    };
    const script = join(root, 'tools/release/publish-client.mjs');
    const run = recorded(process.execPath, [script], { env });
    return { status: await run.exited, output: run.output };
  }

  it('fails with an unknown token and does not print it', async () => {
    const { status, output } = await publish({ NPM_TOKEN: 'another-token' });
    assert.equal(status, 1);
    assert.match(output, /E401/);
    assert.doesNotMatch(output, /another-token/);
    assert.equal(packument, undefined);
  });

  it('sends the complete package to the named registry', async () => {
    const { status, output } = await publish();
    assert.equal(status, 0, output);
    const [[name, { data }]] = Object.entries(packument._attachments);
    const archive = Buffer.from(data, 'base64');
    const { dist, ...description } = packument.versions[packument['dist-tags'].latest];
    assert.equal(name, `${description.name}-${description.version}.tgz`);
    assert.equal(dist.integrity, integrityOf(archive));
    assert.ok(output.includes(dist.integrity), output);
  });

  it('does nothing for a published version', async () => {
    const { status, output } = await publish();
    assert.deepEqual([status, calls.includes('PUT')], [0, false], output);
  });

  it('refuses a changed client without a new version', async () => {
    for (const { dist } of Object.values(packument.versions)) dist.integrity = integrityOf('another one');
    const { status, output } = await publish();
    assert.deepEqual([status, calls.includes('PUT')], [1, false], output);
    assert.match(output, /give the client a new version/);
  });

  it('names a missing setting', async () => {
    const { status, output } = await publish({ NPM_TOKEN: '' });
    assert.equal(status, 1);
    assert.match(output, /^NPM_TOKEN is not set/);
  });
});
