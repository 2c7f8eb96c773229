import { NoAnswerError } from './api-error.js';
import { ServiceClient } from './service-client.js';

interface Paths {
  '/items/{id}': {
    get: { parameters: { path: { id: string }; query?: never } };
    delete: { parameters: { path: { id: string } } };
    put: { parameters: { path: { id: string } } };
  };
  '/items/{id}/parts/{part}': { post: { parameters: { path: { id: string; part: string } } } };
}

function aClient(body: unknown = { success: 1, payload: {} }) {
  const urls: string[] = [];
  const client = new ServiceClient<Paths>('http://service.example/base', (request) => {
    urls.push(request.url);
    return Promise.resolve(Response.json(body));
  });
  return { client, urls };
}

describe('path parameters', () => {
  it.each([
    ['a b', 'a%20b'],
    ['a/b', 'a%2Fb'],
    ['../x', '..%2Fx'],
    ['%2e%2e', '%252e%252e'],
    ['...', '...'],
    ['?a#b', '%3Fa%23b'],
  ])('sends %j as one segment', async (id, segment) => {
    const { client, urls } = aClient();
    await client.get('/items/{id}', { path: { id } });
    await client.post('/items/{id}/parts/{part}', { path: { id: 'x', part: id } });
    expect(urls).toEqual([
      `http://service.example/base/items/${segment}`,
      `http://service.example/base/items/x/parts/${segment}`,
    ]);
  });

  it.each(['', '.', '..', undefined])('refuses %j, and sends nothing', async (value) => {
    const { client, urls } = aClient();
    const id = value as string;
    await expect(client.get('/items/{id}', { path: { id } })).rejects.toThrow(TypeError);
    await expect(client.delete('/items/{id}', { path: { id } })).rejects.toThrow('the path parameter id is');
    await expect(client.put('/items/{id}', { path: { id } })).rejects.toThrow(TypeError);
    const parts = client.post('/items/{id}/parts/{part}', { path: { id: 'x', part: id } });
    await expect(parts).rejects.toThrow('the path parameter part is');
    expect(urls).toEqual([]);
  });
});

describe('an answer without an envelope', () => {
  it.each([{ welcome: 'to the wireless network' }, [], null, 'text'])('is no answer: %j', async (body) => {
    await expect(aClient(body).client.call('GET', '/items/1')).rejects.toThrow(NoAnswerError);
  });

  it.each(['/api/v1/detail/maturity-amount/{issuer_code}', '/.well-known/jwks.json', '/health/live'])(
    'is the payload of %s',
    async (path) => {
      const { client } = aClient({ a: 1 });
      expect((await client.call('GET', path, { path: { issuer_code: 'X' } })).payload).toEqual({ a: 1 });
    },
  );
});
