import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrunoCollection } from './bruno-collection.js';

describe('call of a Bruno collection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-collection-'));
  const keys: (string | undefined)[] = [];
  const statuses: number[] = [];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key'] as string | undefined);
      response.writeHead(statuses.shift() ?? 200, { 'retry-after': '0' }).end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const name of ['environments', 'saving']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'environments/here.bru'), 'vars {\n  url: none\n}\n');
    writeFileSync(
      join(folder, 'saving/save.bru'),
      `meta {
  name: Save
  type: http
  seq: 1
}

post {
  url: {{url}}/save
  body: none
  auth: none
}

headers {
  Idempotency-Key: {{key}}
}

assert {
  res.status: eq 200
}

script:pre-request {
  bru.setVar('key', String(Math.random()));
}
`,
    );
  });
  afterAll(async () => {
    await new Promise((done) => server.close(done));
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => (keys.length = 0));

  const run = async (...answers: number[]) => {
    statuses.push(...answers);
    return (await BrunoCollection.open(folder, 'here', { url })).run('saving');
  };

  it('is repeated with its key while it is answered 503', async () => {
    expect(await run(503, 503, 200)).toEqual(['Save']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it.each([202, 500])('is not repeated when it is answered %i', async (status) => {
    await expect(run(status)).rejects.toThrow(`Save: res.status eq 200, but it is ${status}`);
    expect(keys).toHaveLength(1);
  });
});
