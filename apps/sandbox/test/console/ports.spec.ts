import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlain, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { BoundServer } from '../../src/http/bound-server.js';
import { visit } from '../support/hosted-page.js';
import { portsOf } from '../support/mail.js';
import { bootSandbox, documentedClient, startSandbox } from '../support/sandbox.js';

describe('where the sandbox listens', () => {
  const sandbox = bootSandbox();

  it('reports its ports, all different', async () => {
    const api = documentedClient(sandbox);
    const { body } = await api.get('/api/ports');
    expect(`http://127.0.0.1:${body.http}`).toBe(sandbox.baseUrl);
    expect(new Set([body.http, body.https, body.smtp]).size).toBe(3);
  });

  it('serves the same pages over https', async () => {
    const { https } = await portsOf(sandbox);
    const { text } = await visit(`https://127.0.0.1:${https}/`).expect(200);
    expect(text).toContain('<title>Sandbox');
  });

  it.each(['localhost', '127.0.0.1'])('has a certificate for %s', async (host) => {
    const { https } = await portsOf(sandbox);
    const servername = host === 'localhost' ? { servername: host } : {};
    const first = connectTls({ port: https, host: '127.0.0.1', ...servername, rejectUnauthorized: false });
    await once(first, 'secureConnect');
    const { raw } = first.getPeerCertificate();
    first.destroy();
    const ca = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`;
    // a client that trusts the certificate accepts it
    const call = httpsRequest({ port: https, host, family: 4, path: '/health/live', ca, agent: false });
    const response = once(call, 'response');
    call.end();
    const [{ statusCode }] = await response;
    expect(statusCode).toBe(200);
  });

  it('closes with idle connections, before and after a request', async () => {
    const ending = await startSandbox();
    const { https, smtp } = await portsOf(ending);
    const quiet = [connectPlain(https, '127.0.0.1'), connectPlain(smtp, '127.0.0.1')];
    const kept = connectTls({ port: https, host: '127.0.0.1', rejectUnauthorized: false });
    await Promise.all([...quiet.map((socket) => once(socket, 'connect')), once(kept, 'secureConnect')]);
    kept.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(kept, 'data');
    const cut = [...quiet, kept].map(
      (socket) => new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve)),
    );
    await ending.app.close();
    await Promise.all(cut);
    const [error] = await once(connectPlain(https, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a further server', () => {
  it('reports a taken port, and still closes', async () => {
    const first = new BoundServer(createServer());
    await first.listen(0, '127.0.0.1');
    const second = new BoundServer(createServer());
    await expect(second.listen(first.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await second.close();
    await first.close();
  });
});
