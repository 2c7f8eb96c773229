import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { freePort, isFree, requireFreePorts } from './ports.mjs';

describe('ports', () => {
  const server = createServer();
  let taken;
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    taken = server.address().port;
  });
  after(() => server.close());

  it('are reported as free or taken', async () => {
    assert.equal(await isFree(taken), false);
    assert.equal(await isFree(await freePort()), true);
  });

  it('are preferred only while they are free', async () => {
    const free = await freePort();
    assert.equal(await freePort(free), free);
    assert.notEqual(await freePort(taken), taken);
  });

  it('are named with their service and setting when they are taken', async () => {
    const required = [
      { service: 'users-service', port: taken, variable: 'USERS_PORT' },
      { service: 'sandbox', port: await freePort(), variable: 'SANDBOX_PORT' },
    ];
    await assert.rejects(requireFreePorts(required, 'npm start'), (error) => {
      assert.match(error.message, new RegExp(`Port ${taken}, which users-service needs, is taken`));
      assert.match(error.message, /choose another port: USERS_PORT=\d+ npm start$/);
      assert.doesNotMatch(error.message, /sandbox/);
      return true;
    });
  });

  it('cause no error when all are free', async () => {
    const required = [{ service: 'sandbox', port: await freePort(), variable: 'SANDBOX_PORT' }];
    await assert.doesNotReject(requireFreePorts(required, 'npm start'));
  });
});
