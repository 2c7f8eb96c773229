import type { ApiClient } from '@fd/testing';
import request from 'supertest';
import { bootSandbox, documentedClient } from '../support/sandbox.js';

describe('console', () => {
  const sandbox = bootSandbox();
  let api: ApiClient;

  beforeAll(() => {
    api = documentedClient(sandbox);
  });

  const get = (path: string) => request(sandbox.baseUrl).get(path);

  /** Assets of the page. */
  const resources = async (): Promise<string[]> => {
    const { text } = await get('/').expect(200);
    return [...text.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(([, url]) => url!);
  };

  it('loads only its own assets', async () => {
    const urls = await resources();
    expect(urls.map((url) => /\.(js|css|svg)$/.exec(url)?.[1]).sort()).toEqual(['css', 'css', 'js', 'svg']);
    for (const url of urls) {
      expect(url).toMatch(/^\/assets\//);
      await get(url).expect(200);
    }
  });

  it('has a policy against foreign code, HTML from text, and calls to other hosts', async () => {
    const { text: page, headers } = await get('/');
    const policy = headers['content-security-policy']!;
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self' http://localhost:3001 http://localhost:3002",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son[a-z]+=|\sstyle=/);
  });

  it('returns the addresses of the services and the credentials for them', async () => {
    const { status, body } = await api.get('/api/console');
    expect(status).toBe(200);
    expect(body).toEqual({
      users_base_url: 'http://localhost:3001',
      master_base_url: 'http://localhost:3002',
      api_key: 'sandbox-api-key',
      partner_url: 'https://app.partner.example',
      issuers: ['aravalli', 'kaveri', 'nilgiri', 'sahyadri', 'vindhya'],
    });
  });

  it.each([
    ['/assets/theme.css', 'text/css; charset=utf-8'],
    ['/assets/hosted-page.css', 'text/css; charset=utf-8'],
    ['/assets/icon.svg', 'image/svg+xml'],
  ])('serves %s', async (path, type) => {
    const { headers } = await get(path).expect(200);
    expect(headers['content-type']).toContain(type);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/assets/index.html',
    '/assets/.hidden.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2fmain.js',
    '/assets/constructor',
    '/assets/',
  ])('answers not found for %s', async (path) => {
    await get(path).expect(404);
  });

  it('returns a new sample person each time', async () => {
    const people = await Promise.all([api.get('/api/sample-person'), api.get('/api/sample-person')]);
    const [first, second] = people.map(({ body }) => body as { phone: string; pan: string });
    expect(first!.phone).not.toBe(second!.phone);
    expect(first!.pan).not.toBe(second!.pan);
  });

  it('reports live and ready without any store', async () => {
    await get('/health/live').expect(200, { status: 'ok' });
    await get('/health/ready').expect(200, { status: 'ok', checks: {} });
  });
});
