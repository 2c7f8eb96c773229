import { ConsentErrors, GeneralErrors, PanErrors } from '@fd/errors';
import {
  documentedMetrics,
  expectRefusal,
  metricRows,
  metricsWithoutSeries,
  selectorsWithoutSeries,
  TcpProxy,
} from '@fd/testing';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { failCommits } from '../support/fail-commits.js';
import { as, logIn } from '../support/login.js';
import { postNominee } from '../support/nominees.js';
import { aPerson } from '../support/person.js';
import { allDetails, postDetails } from '../support/personal-details.js';
import { startService, type TestService } from '../support/users-app.js';
import { JourneyClient } from '../support/journey-client.js';

/** Series of the steps' metric, as `labels value`. */
const labelsAndValues = (text: string): string[] =>
  [...text.matchAll(/^journey_steps_total\{(.*)\} (\d+)$/gm)]
    .map(([, labels, value]) => `${labels} ${value}`)
    .sort();

describe('GET /metrics', () => {
  let service: TestService;
  /** Before the first call. */
  let first: string;
  beforeAll(async () => {
    service = await startService({});
    first = await exposed();
  });
  afterAll(() => service.close());

  const exposed = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
  const valueOf = (text: string, series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    );

  it('exports the metrics that docs/metrics.md lists, with their labels and help texts', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(metricRows(metrics)).toEqual(documentedMetrics('users-service'));
  });

  it('exports a series of every metric before the first call', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(metricsWithoutSeries(first, metrics)).toEqual([]);
  });

  it('exports a series for every selector of the alerts before the first call', () => {
    const metrics = service.app.get(Registry).getMetricsAsArray();
    expect(selectorsWithoutSeries(first, metrics)).toEqual([]);
  });

  const labelsOf = (text: string, name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} `, 'gm'))].map(([, labels]) => labels!).sort();

  it('exports every outcome of a message for each SMS provider, and of a PAN, before the first call', () => {
    const answers = ['sent', 'unavailable', 'refused', 'timeout', 'malformed', 'misconfigured'];
    const ofProviders = ['sms-primary', 'sms-fallback'].flatMap((provider) =>
      answers.map((outcome) => `provider="${provider}",outcome="${outcome}"`),
    );
    const unasked = ['overflow', 'dropped'].map((outcome) => `provider="none",outcome="${outcome}"`);
    expect(labelsOf(first, 'sms_sends_total')).toEqual([...ofProviders, ...unasked].sort());
    const { notFound, notValid, birthDateDiffers, belongsToAnotherUser } = PanErrors;
    const { registryUnavailable, anotherPanVerified, tooManyLookups } = PanErrors;
    const refusals = [
      ...[notFound, notValid, birthDateDiffers, belongsToAnotherUser],
      ...[registryUnavailable, anotherPanVerified, tooManyLookups, ConsentErrors.withdrawn],
      ...[GeneralErrors.recordUnknown, GeneralErrors.tooManyRequests],
    ].map(({ code }) => code);
    expect(labelsOf(first, 'pan_verifications_total')).toEqual(
      ['verified', 'repeated', 'pending', 'defect', ...refusals]
        .map((outcome) => `outcome="${outcome}"`)
        .sort(),
    );
  });

  it('counts no call to a store as failed while it starts and connects', () => {
    expect(first).toContain('store_call_duration_seconds_count{store="redis"');
    expect(first).not.toMatch(/^store_call_duration_seconds_count\{.*outcome="failed"\} [1-9]/m);
  });

  it("counts refusals by code and route, and names the code in the request's log line", async () => {
    const refused = await service.api.post('/auth/register', { phone: '91999' });
    const [{ errorCode: code }] = refused.body.error as [{ errorCode: string }];
    expect((await service.api.get('/nowhere')).status).toBe(404);
    const text = await exposed();
    expect(valueOf(text, `refusals_total{code="${code}",route="/auth/register"}`)).toBe(1);
    const unknown = `refusals_total{code="${GeneralErrors.routeUnknown.code}",route="unmatched"}`;
    expect(valueOf(text, unknown)).toBeGreaterThan(0);
    const line = service
      .logs()
      .split('\n')
      .find((found) => found.includes(refused.headers['x-request-id'] as string));
    expect(JSON.parse(line!)).toMatchObject({ status: 400, code });
  });

  it('counts the finished steps of a journey by issuer, without personal data', async () => {
    const customer = new JourneyClient(service.url, 'aravalli', aPerson());
    await customer.all();
    const text = await exposed();
    const history = await service.dataSource.query<{ step: string; issuer: string; event: string }[]>(
      `SELECT step, issuer_slug AS issuer, event FROM onboarding.journey_events
        WHERE to_state = 'DONE' AND from_state <> 'DONE'`,
    );
    for (const [step, issuer] of [
      ['LOGIN', ''],
      ['PAN', ''],
      ['EKYC', 'aravalli'],
      ['PERSONAL_DETAILS', 'aravalli'],
      ['BANK', 'aravalli'],
      ['NOMINEE', ''],
    ]) {
      const counted = valueOf(text, `journey_steps_total{step="${step}",issuer="${issuer}",state="DONE"}`);
      // the history shows whether the metric or the step is wrong
      const recorded = history.filter((event) => event.step === step && event.issuer === issuer);
      expect({ counted, recorded }).toEqual({ counted: 1, recorded: [{ step, issuer, event: 'COMPLETED' }] });
    }
    expect(valueOf(text, 'journey_steps_total{step="PAN",issuer="",state="IN_PROGRESS"}')).toBe(1);
    expect(valueOf(text, 'otp_sends_total{outcome="sent"}')).toBe(1);
    expect(valueOf(text, 'otp_checks_total{outcome="right"}')).toBe(1);
    const { person } = customer;
    const disclosed = [
      person.phone,
      person.phone.slice(2),
      person.pan,
      person.email,
      person.account,
      person.ifsc,
    ];
    for (const value of disclosed) expect(text).not.toContain(value);
  });

  it('counts a step once when the commit of its first completion has failed', async () => {
    const counted = async (): Promise<string[]> =>
      labelsAndValues(await exposed()).filter((series) => !series.endsWith(' 0'));
    const recorded = async (): Promise<string[]> => {
      const changes = await service.dataSource.query<{ series: string }[]>(
        `SELECT format('step="%s",issuer="%s",state="%s" %s', step, issuer_slug, to_state, count(*)) AS series
           FROM onboarding.journey_events WHERE from_state <> to_state GROUP BY step, issuer_slug, to_state`,
      );
      return changes.map(({ series }) => series).sort();
    };
    const me = as(service.api, await logIn(service));
    const calls = [() => postDetails(me, allDetails()), () => postNominee(me)];
    const allowCommits = await failCommits(service.dataSource, 'journey_events');
    for (const call of calls) expectRefusal(await call(), GeneralErrors.unavailable);
    await allowCommits();
    for (const call of calls) expect((await call()).body.success).toBe(1);
    expect(await counted()).toEqual(await recorded());
  });

  it('counts statements that find no PostgreSQL as failed, each time', async () => {
    const proxy = await TcpProxy.before(service.environment['DATABASE_URL']!);
    const replica = await service.replica({ DATABASE_URL: proxy.url });
    const failures = async (): Promise<number> =>
      valueOf(
        await (await fetch(`${replica.url}/metrics`)).text(),
        'store_call_duration_seconds_count{store="postgres",operation="select",outcome="failed"}',
      ) || 0;
    const user = await logIn(service);
    await proxy.close();
    const counts: number[] = [];
    for (let call = 0; call < 14; call++) {
      expectRefusal(await as(replica.api, user).get('/api/v1/user-profile'), GeneralErrors.unavailable);
      counts.push(await failures());
    }
    // connections that were open fail once
    expect(counts.at(-1)).toBeGreaterThan(counts.at(-3)!);
  });

  it('exports durations and failures of the stores, and waiting calls of the database pool', async () => {
    const before = await exposed();
    const failed = 'store_call_duration_seconds_count{store="postgres",operation="select",outcome="failed"}';
    const ownPool = service.app.get(DataSource);
    await ownPool.query('SELECT 1 / 0').catch(() => undefined);
    const holder = service.dataSource.createQueryRunner();
    await holder.query('SELECT pg_advisory_lock(1)');
    // all ten connections wait for the lock, and two more transactions wait for a connection
    // a busy machine may meet the service's limits before the lock is free; how these end is not the point
    const waiting = Promise.allSettled(
      Array.from({ length: 12 }, () =>
        ownPool.transaction((tx) => tx.query('DO $$ BEGIN PERFORM pg_advisory_xact_lock_shared(1); END $$')),
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const meanwhile = await exposed();
    await holder.query('SELECT pg_advisory_unlock(1)');
    await holder.release();
    await waiting;
    const after = await exposed();
    expect(valueOf(after, failed) - (valueOf(before, failed) || 0)).toBe(1);
    expect(after).toMatch(/store="redis",operation="\w+",outcome="ok"} [1-9]/);
    expect(valueOf(meanwhile, 'database_pool_waiting')).toBeGreaterThanOrEqual(2);
    expect(valueOf(after, 'database_pool_waiting')).toBe(0);
    expect(valueOf(after, 'database_pool_connections{state="idle"}')).toBeGreaterThan(0);
  });
});
