import { documentedMetrics, metricRows, metricsWithoutSeries, selectorsWithoutSeries } from '@fd/testing';
import { Registry } from 'prom-client';
import { startService, type TestService } from '../support/master-app.js';

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
