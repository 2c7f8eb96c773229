import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCodesPayload } from '@fd/contracts';
import { ERROR_CODES, JourneyErrors, LoginErrors } from '@fd/errors';
import { recordEvidence } from '@fd/testing';
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
  it('returns an OpenAPI 3.1 document that describes every route', async () => {
    const { paths, openapi } = (await fetch(`${service.url}/openapi.json`).then((r) =>
      r.json(),
    )) as {
      openapi: string;
      paths: Record<string, Record<string, Operation>>;
    };
    expect(openapi).toBe('3.1.0');
    expect(
      Object.entries(paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      'delete /api/v1/user-nominee/{nominee_id}',
      'delete /api/v1/user-sessions/{session_id}',
      'get /.well-known/jwks.json',
      'get /api/v1/bank/verification/{verification_id}',
      'get /api/v1/consent-notices',
      'get /api/v1/consents',
      'get /api/v1/error-codes',
      'get /api/v1/pan-verification/{verification_id}',
      'get /api/v1/personal-details',
      'get /api/v1/personal-details/options',
      'get /api/v1/user-nominee',
      'get /api/v1/user-profile',
      'get /api/v1/user-sessions',
      'get /health/live',
      'get /health/ready',
      'get /issuer-apis/{issuer_slug}/v1/booking-check',
      'get /issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}',
      'get /issuer-apis/{issuer_slug}/v1/journey',
      'post /api/v1/bank/sync-to-issuer',
      'post /api/v1/consents',
      'post /api/v1/consents/{consent_id}/withdraw',
      'post /api/v1/email/send-otp',
      'post /api/v1/email/verify-otp',
      'post /api/v1/insights-tracking',
      'post /api/v1/pan-verification',
      'post /api/v1/personal-details',
      'post /api/v1/user-nominee',
      'post /api/v1/webhooks/{vendor}',
      'post /auth/api/v2/logout',
      'post /auth/api/v2/register/verify',
      'post /auth/api/v2/token/refresh',
      'post /auth/register',
      'post /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp',
      'post /issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp',
      'post /issuer-apis/{issuer_slug}/v1/document-locker/session',
      'post /issuer-apis/{issuer_slug}/v1/kyc-context',
      'post /issuer-apis/{issuer_slug}/v1/lead',
      'post /issuer-apis/{issuer_slug}/v2/check-etb',
      'post /issuer-apis/{issuer_slug}/v3/check-status',
      'put /api/v1/user-nominee/{nominee_id}',
    ]);
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
    expect(Object.keys(paths['/api/v1/user-profile']!['get']!.responses)).toEqual(
      expect.arrayContaining(['200', '401', '429', '500', '503']),
    );
  });

  it('returns the document of docs/openapi; npm run api:docs rewrites it', async () => {
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
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/);
    // attributes can load nothing
    expect(policy.replace("style-src-attr 'unsafe-inline'; ", '')).not.toMatch(/unsafe|\*|https?:/);
    const html = await page.text();
    expect(html).not.toMatch(/(src|href)="https?:|<script>|<style>| style=/);
  });

  it('links files that browsers may cache, each named by its content', async () => {
    const html = await (await get('/docs')).text();
    const files = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.map((path) => path.replace(/\.[\w-]{16}\./, '.')).sort()).toEqual([
      '/docs/init.js',
      '/docs/reference.js',
      '/docs/styles.js',
    ]);
    for (const path of files) {
      const file = await get(path);
      const digest = hash('sha256', Buffer.from(await file.arrayBuffer()), 'base64url');
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('etag')).toBe(`"${digest}"`);
      expect(path).toContain(`.${digest.slice(0, 16)}.`);
      const again = await get(path, { 'if-none-match': `"${digest}"` });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('uses a different nonce for styles in every answer', async () => {
    const answers = [await get('/docs'), await get('/docs/')];
    const nonces = await Promise.all(
      answers.map(async (answer) => /csp-nonce" content="([^"]+)"/.exec(await answer.text())![1]!),
    );
    for (const [index, { headers }] of answers.entries()) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain(`'nonce-${nonces[index]}'`);
    }
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('returns 404 for files of other releases', async () => {
    for (const path of ['/docs/init.js', '/docs/init.AAAAAAAAAAAAAAAA.js', '/docs/package.json'])
      expect((await get(path)).status).toBe(404);
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
