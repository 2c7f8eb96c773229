import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@fd/testing';
import request from 'supertest';
import { startSandbox } from '../support/sandbox.js';

const SETU = { 'x-client-id': 'id', 'x-client-secret': 'secret', 'x-product-instance-id': 'product' };

describe('webhook URLs in the settings', () => {
  it('receive the webhooks of their client id', async () => {
    const received: string[] = [];
    const service = createServer((call, response) => {
      received.push(call.url!);
      response.end();
    });
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/v1/webhooks/setu`;
    const { app, baseUrl } = await startSandbox({
      settings: { VENDOR_WEBHOOKS: `other=http://127.0.0.1:1/,id=${url}` },
    });
    await request(baseUrl)
      .post('/vendors/setu/api/verify/ban/async')
      .set(SETU)
      .send({ accountNumber: '501000121234', ifsc: 'HDFC0001234' })
      .expect(200);
    await eventually(() => expect(received).toEqual(Array(3).fill('/api/v1/webhooks/setu')));
    await app.close();
    service.close();
  });
});
