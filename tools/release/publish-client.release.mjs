import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { recorded } from '../dev/spec-workspace.mjs';
import { runProgram } from '../processes/processes.mjs';
import { root } from '../workspace.mjs';

const PATH = '/team/@fd%2fclient';
const TOKEN = 'token-of-the-release';

const integrityOf = (archive) => `sha512-${createHash('sha512').update(archive).digest('base64')}`;

describe('publishing the client', () => {
  /** The package that npm has sent: its description and its archive. */
  let packument;
  let methods;
  let registry;
  const packed = mkdtempSync(join(tmpdir(), 'fd-client-'));
  before(async () => {
    registry = createServer(async (request, response) => {
      const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
      methods.push(request.method);
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401, {});
      if (request.url.split('?')[0].toLowerCase() !== PATH) return answer(500, {});
      if (request.method === 'PUT') packument = await json(request);
      return packument ? answer(200, packument) : answer(404, { error: 'not_found' });
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const pack = ['pack', '--silent', '--pack-destination', packed];
    await runProgram('The client cannot be packed', 'npm', pack, { cwd: join(root, 'libs/client') });
  });
  after(() => {
    registry.close();
    rmSync(packed, { recursive: true });
  });

  /** Publishes, and checks the exit code and whether npm has sent a package. Returns the output. */
  async function publish({ NPM_TOKEN = TOKEN, status, isSent = false }) {
    methods = [];
    const NPM_REGISTRY = `http://127.0.0.1:${registry.address().port}/team/`;
    const env = { ...process.env, NPM_REGISTRY, NPM_TOKEN };
    const run = recorded(process.execPath, [join(root, 'tools/release/publish-client.mjs'), packed], { env });
    assert.deepEqual([await run.exited, methods.includes('PUT')], [status, isSent], run.output);
    return run.output;
  }

  it('fails without a token, or with an unknown one, which it does not print', async () => {
    assert.match(await publish({ NPM_TOKEN: '', status: 1 }), /^NPM_TOKEN is not set/);
    const output = await publish({ NPM_TOKEN: 'another-token', status: 1 });
    assert.match(output, /E401/);
    assert.doesNotMatch(output, /another-token/);
  });

  it('sends the complete package to the named registry', async () => {
    const output = await publish({ status: 0, isSent: true });
    const [[name, { data }]] = Object.entries(packument._attachments);
    const { dist, ...description } = packument.versions[packument['dist-tags'].latest];
    assert.equal(name, `${description.name}-${description.version}.tgz`);
    assert.equal(dist.integrity, integrityOf(Buffer.from(data, 'base64')));
    assert.ok(output.includes(dist.integrity), output);
  });

  it('does nothing for a published version', () => publish({ status: 0 }));

  it('refuses a changed client without a new version', async () => {
    for (const { dist } of Object.values(packument.versions)) dist.integrity = integrityOf('another one');
    assert.match(await publish({ status: 1 }), /give the client a new version/);
  });
});
