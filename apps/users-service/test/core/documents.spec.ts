import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCodesPayload } from '@fd/contracts';
import { ERROR_CODES, IdempotencyErrors, JourneyErrors, LoginErrors } from '@fd/errors';
import { editsOfCallTable, recordEvidence } from '@fd/testing';
import { as, logIn } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Operation {
  operationId: string;
  security: object[];
  'x-error-codes': string[];
  'x-journey-step'?: string;
  responses: Record<string, unknown>;
}

describe('GET /openapi.json', () => {
  it('describes the calls and credentials of the README, no more and no fewer', async () => {
    const served = await fetch(`${service.url}/openapi.json`);
    expect(editsOfCallTable('users-service', (await served.json()) as object)).toEqual([]);
  });

  it('describes every route but its own documents, the metrics and the handler of unknown paths', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    const { router } = service.app.getHttpAdapter().getInstance() as {
      router: { stack: { route?: { path: string | string[] } }[] };
    };
    const routes = router.stack
      .flatMap(({ route }) => route?.path ?? [])
      .map((path) => path.replace(/:(\w+)/g, '{$1}'));
    expect(routes.length).toBeGreaterThan(30);
    expect(routes.filter((path) => !(path in paths))).toEqual([
      '/openapi.json',
      '/docs/reference.js',
      '/docs/init.js',
      '/docs',
      '/metrics',
      '/{*path}',
    ]);
  });

  it('returns an OpenAPI 3.1 document with the refusals and credentials of each call', async () => {
    const { paths, openapi } = (await fetch(`${service.url}/openapi.json`).then((r) => r.json())) as {
      openapi: string;
      paths: Record<string, Record<string, Operation>>;
    };
    expect(openapi).toBe('3.1.0');
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    // a test may make the call of a step before its turn
    const ofSteps = operations.filter((operation) => operation['x-journey-step'] !== undefined);
    expect(ofSteps.length).toBeGreaterThan(8);
    for (const operation of ofSteps)
      expect(operation['x-error-codes']).toContain(JourneyErrors.stepLocked.code);
    expect(paths['/auth/register']!['post']!.security).toEqual([]);
    expect(paths['/auth/register']!['post']!['x-error-codes']).toEqual(
      expect.arrayContaining([
        LoginErrors.phoneInvalid.code,
        LoginErrors.phoneMalformed.code,
        LoginErrors.tooManySends.code,
      ]),
    );
    expect(paths['/api/v1/user-profile']!['get']!.security).toEqual([{ bearer: [] }]);
    const replay = paths['/partner/v1/events/{event_id}/replay']!['post']!;
    expect(replay.security).toEqual([{ backendKey: [] }]);
    // which ignores the header Idempotency-Key
    expect(replay['x-error-codes']).not.toContain(IdempotencyErrors.keyReused.code);
    expect(paths['/auth/register']!['post']!['x-error-codes']).toContain(IdempotencyErrors.keyReused.code);
    expect(Object.keys(paths['/api/v1/user-profile']!['get']!.responses)).toEqual(
      expect.arrayContaining(['200', '401', '429', '500', '503']),
    );
  });

  it('returns the document of docs/openapi; npm run docs rewrites it', async () => {
    const stored = readFileSync(
      join(import.meta.dirname, '../../../../docs/openapi/users-service.json'),
      'utf8',
    );
    const served = await fetch(`${service.url}/openapi.json`);
    const document = (await served.json()) as { paths: object };
    expect(document).toEqual(JSON.parse(stored));
    recordEvidence('contract-kept', { paths: Object.keys(document.paths).length });
  });
});

describe('GET /openapi.json with If-None-Match', () => {
  it('returns 304 without a body to a client that has the document', async () => {
    const url = `${service.url}/openapi.json`;
    const { headers } = await fetch(url);
    expect(headers.get('cache-control')).toBe('no-cache');
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const again = await fetch(url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });
});

describe('GET /docs', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, {
      headers: { 'cache-control': 'max-age=0', ...headers },
    });

  it('returns a page that loads and calls nothing from other origins', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';/);
    // inline styles can load nothing
    expect(policy.replace("style-src 'self' 'unsafe-inline'; ", '')).not.toMatch(/unsafe|\*|https?:/);
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="https?:|<script>/);
  });

  it('links files that browsers revalidate', async () => {
    const html = await (await get('/docs')).text();
    const files = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files).toEqual(['/docs/reference.js', '/docs/init.js']);
    for (const path of files) {
      const file = await get(path);
      const etag = `"${hash('sha256', Buffer.from(await file.arrayBuffer()), 'base64url')}"`;
      expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect([file.headers.get('cache-control'), file.headers.get('etag')]).toEqual(['no-cache', etag]);
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    expect((await get('/docs/package.json')).status).toBe(404);
  });
});

describe('GET /api/v1/error-codes', () => {
  it('lists the whole error catalogue without a login', async () => {
    const response = await service.api.get('/api/v1/error-codes');
    const { error_codes } = (response.body as { payload: ErrorCodesPayload }).payload;
    expect(error_codes.map(({ code }) => code)).toEqual(ERROR_CODES);
    expect(error_codes.find(({ code }) => code === LoginErrors.otpWrong.code)).toEqual({
      code: LoginErrors.otpWrong.code,
      http_status: 400,
      token: 'OTP_WRONG',
      meaning: LoginErrors.otpWrong.text,
      message: LoginErrors.otpWrong.message,
      who_can_act: 'CUSTOMER',
      is_retryable: false,
      sandbox_trigger: LoginErrors.otpWrong.trigger,
    });
  });
});

describe('GUIDE_URL', () => {
  const guide = 'https://docs.example/guide';
  let guided: TestService;
  beforeAll(async () => {
    guided = await startService({ GUIDE_URL: `${guide}/` });
  });
  afterAll(() => guided.close());

  it('gives each error code the address of its page', async () => {
    const response = await guided.api.get('/api/v1/error-codes');
    const { error_codes } = (response.body as { payload: ErrorCodesPayload }).payload;
    expect(error_codes.map(({ guide_url }) => guide_url)).toEqual(
      ERROR_CODES.map((code) => `${guide}/errors/${code}`),
    );
  });

  it('names the guide in the OpenAPI document, and in each example of a refusal its page', async () => {
    const served = await fetch(`${guided.url}/openapi.json`);
    const { info, externalDocs, components } = (await served.json()) as {
      info: { description: string };
      externalDocs: { url: string };
      components: { examples: Record<string, { description: string }> };
    };
    expect(externalDocs.url).toBe(guide);
    expect(info.description).toContain(`${guide}/errors/{errorCode}`);
    const examples = Object.entries(components.examples);
    expect(examples.length).toBeGreaterThan(50);
    for (const [code, { description }] of examples)
      expect(description).toContain(`[${code} in the guide](${guide}/errors/${code})`);
  });
});

describe('GET /metrics', () => {
  it('counts answers by route pattern, without ids in the labels', async () => {
    const user = await logIn(service);
    await as(service.api, user).delete('/api/v1/user-sessions/0198c0de-0000-7000-8000-000000000000');
    const { text } = await service.api.get('/metrics');
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="POST",route="\/auth\/register",status="201"\} [1-9]/,
    );
    expect(text).toMatch(/route="\/api\/v1\/user-sessions\/:session_id",status="404"/);
    expect(text).not.toContain('0198c0de');
    expect(text).toMatch(/nodejs_eventloop_lag_seconds/);
  });
});

describe('cross-origin calls', () => {
  it('lets pages of other origins call the API and read its headers', async () => {
    const { headers } = await service.api.get('/health/live', {
      headers: { origin: 'http://localhost:5173' },
    });
    expect(headers['access-control-allow-origin']).toBe('http://localhost:5173');
    expect(headers['access-control-expose-headers']).toContain('retry-after');
  });
});
