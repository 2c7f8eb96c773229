import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, MasterErrors } from '@fd/errors';
import {
  documentedMetrics,
  editsOfCallTable,
  expectRefusal,
  metricRows,
  metricsWithoutSeries,
  selectorsWithoutSeries,
} from '@fd/testing';
import { Registry } from 'prom-client';
import request from 'supertest';
import { Catalogue } from '../../src/catalogue/catalogue.js';
import { CatalogueSnapshot } from '../../src/catalogue/catalogue-snapshot.service.js';
import { ISSUERS } from '../support/issuers.js';
import { startService, type TestService } from '../support/master-app.js';
import { ANY_PARAMETER, GOOD_QUERY, type RawHeaders, rawStatus } from '../support/raw-calls.js';
import { anIssuer } from '../support/vehicles.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const QUOTE = '/api/v1/detail/maturity-amount/ARAVFIN';

const raw = (path: string, headers: RawHeaders = {}, method = 'GET') =>
  rawStatus(service, path, headers, method);

describe('bad input', () => {
  // test-system sends random ones
  it.each(['', '\u0000', '%', '-0', '1e309', '../..', '\u202e\u{1f4b0}', ['1', 'true'], ['FD', 'FD', 'FD']])(
    'answers %j in any parameter with a documented quote or refusal',
    async (value) => {
      for (const name of ANY_PARAMETER) {
        // the client validates the answer
        const { status } = await service.api.get(QUOTE, { query: { ...GOOD_QUERY, [name]: value } });
        expect([200, 400]).toContain(status);
      }
    },
  );

  it.each([
    '/detail/%',
    '/detail/%ff%fe',
    '/detail/%c0%80',
    '/api/v1/detail/maturity-amount/%E0%A4%A',
    `${QUOTE}?tenure=%`,
    `${QUOTE}?tenure=%ff&investment_amount=%fe`,
    `${QUOTE}?${'a=1&'.repeat(3_000)}tenure=730`,
    `${QUOTE}?tenure[a][b]=1&tenure[]=2`,
    `${QUOTE}?__proto__[x]=1&constructor[prototype][y]=1`,
    `${QUOTE}?`,
    `${QUOTE}?=&&&=`,
    `${QUOTE}//`,
    '//detail//',
    '/detail/..',
    '/detail/%00',
    '/api/v1/%25',
    '/%20',
    '/detail/' + 'a'.repeat(8_000),
  ])('answers no bad path with a server error: path %# %s', async (path) => {
    expect(await raw(path)).toBeLessThan(500);
  });

  it('answers calls whose headers are too large, doubled or strange', async () => {
    expect(await raw('/api/v1/issuers', { 'x-large': 'x'.repeat(20_000) })).toBe(431);
    expect(await raw('/api/v1/issuers', { apikey: ['a', 'b'] })).toBe(401);
    expect(await raw('/api/v1/issuers', { 'if-none-match': '"'.repeat(1_000) })).toBe(200);
    expect(await raw('/api/v1/issuers', { 'x-request-id': 'a b\tc' })).toBe(200);
    for (const type of ['application/json', 'text/plain']) {
      expect(await raw('/api/v1/issuers', { 'content-type': type })).toBe(200);
      expect(await raw('/api/v1/issuers', { 'content-type': type, 'content-length': '0' })).toBe(200);
    }
  });

  it('returns 404 for other methods, and answers HEAD like GET', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(await raw(QUOTE, {}, method)).toBe(404);
    expect(await raw('/api/v1/issuers', {}, 'HEAD')).toBe(200);
  });

  it('returns the envelope on an unknown route', async () => {
    expectRefusal(await service.api.get('/api/v2/issuers'), MasterErrors.routeUnknown);
  });
});

interface Described {
  readonly get: { readonly security: object[]; readonly responses: object };
}

describe('GET /openapi.json', () => {
  it('describes the calls of the README, no more and no fewer, with their key and codes', async () => {
    const { body } = await request(service.app.getHttpServer()).get('/openapi.json');
    expect(body.openapi).toMatch(/^3\.1/);
    expect(editsOfCallTable('master-service', body as object)).toEqual([]);
    const { paths } = body as { paths: Record<string, Described> };
    for (const [path, { get }] of Object.entries(paths)) {
      if (path.startsWith('/health/')) continue;
      expect(get.security).toEqual([{ apikey: [] }]);
      expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '401', '429', '503']));
    }
  });

  it('names the key that services of npm start accept', async () => {
    const { body } = await request(service.app.getHttpServer()).get('/openapi.json');
    expect(body.info.description).toMatch(/npm start.*accept `sandbox-api-key`/);
  });

  it('returns the committed document (else: npm run docs)', async () => {
    const kept = readFileSync(
      join(import.meta.dirname, '../../../../docs/openapi/master-service.json'),
      'utf8',
    );
    const { body } = await request(service.app.getHttpServer()).get('/openapi.json');
    expect(body).toEqual(JSON.parse(kept));
  });
});

describe('GET /api/v1/error-codes', () => {
  it('lists every code of both services', async () => {
    const { status, body } = await service.api.get('/api/v1/error-codes');
    expect(status).toBe(200);
    const listed = (body.payload as { error_codes: { code: string }[] }).error_codes.map(({ code }) => code);
    expect(listed).toEqual(ERROR_CODES);
    expect(JSON.stringify(body)).not.toContain('guide_url');
  });

  it('gives each code the address of its page in the guide of GUIDE_URL', async () => {
    const guided = await startService({ GUIDE_URL: 'https://docs.example/guide' });
    try {
      const { body } = await guided.api.get('/api/v1/error-codes');
      const listed = (body.payload as { error_codes: { guide_url: string }[] }).error_codes;
      expect(listed.map(({ guide_url }) => guide_url)).toEqual(
        ERROR_CODES.map((code) => `https://docs.example/guide/errors/${code}`),
      );
      const document = await request(guided.app.getHttpServer()).get('/openapi.json');
      expect(document.body.externalDocs.url).toBe('https://docs.example/guide');
    } finally {
      await guided.close();
    }
  });
});

describe('a defect', () => {
  it('answers a defect without its cause, and serves the next call', async () => {
    const broken = jest
      .spyOn(service.app.get(CatalogueSnapshot), 'catalogue', 'get')
      .mockImplementation(() => {
        throw new TypeError('something of the inside');
      });
    const answer = await service.api.get('/api/v1/issuers');
    expectRefusal(answer, MasterErrors.internal);
    expect(JSON.stringify(answer.body)).not.toContain('inside');
    broken.mockRestore();
    expect((await service.api.get('/api/v1/issuers')).status).toBe(200);
  });

  it.each(['/api/v1/issuers', `/detail/${ISSUERS.aravalli.id}`])(
    'lets no client cache an error of %s',
    async (path) => {
      const issuer = anIssuer({ issuerId: ISSUERS.aravalli.id, renewalOptions: null as never });
      const broken = jest
        .spyOn(service.app.get(CatalogueSnapshot), 'catalogue', 'get')
        .mockReturnValue(new Catalogue([issuer]));
      const answer = await service.api.get(path);
      broken.mockRestore();
      expectRefusal(answer, MasterErrors.internal);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );
});

describe('GET /metrics', () => {
  let service: TestService;
  /** Before the first call. */
  let first: string;
  beforeAll(async () => {
    // of its own, which no other spec has called
    service = await startService({});
    first = await service.app.get(Registry).metrics();
  });
  afterAll(() => service.close());

  it('lists the metrics of docs/metrics.md with their labels and help texts', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(metricRows(metrics)).toEqual(documentedMetrics('master-service'));
  });

  it('exports a series of every metric before the first call', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(metricsWithoutSeries(first, metrics)).toEqual([]);
  });

  it('exports a series for every selector of the alerts before the first call', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(selectorsWithoutSeries(first, metrics)).toEqual([]);
  });

  it('measures the duration of quotes', async () => {
    const query = {
      tenure: '730',
      investment_amount: '100000',
      payout_frequency: 'Maturity',
      product_type: 'FD',
    };
    await service.api.get('/api/v1/detail/maturity-amount/ARAVFIN', { query });
    await service.api.get('/api/v1/compare', { query: { tenure: '730', amount: '100000' } });
    const text = await service.app.get(Registry).metrics();
    expect(text).toContain('quote_duration_seconds_count{call="quote"} 1');
    expect(text).toContain('quote_duration_seconds_count{call="compare"} 1');
  });
});
