import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { GeneralErrors } from '@fd/errors';
import type { Environment } from '@fd/platform';
import { eventually, freePort, type RunningProcess, ServiceProcesses as Processes } from '@fd/testing';
import { call } from '../../test/support/called-from.js';
import { Collector, type ReceivedSpan } from '../../test/support/collector.js';
import { verifyBody } from '../../test/support/login.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { providerSettings } from '../../test/support/settings.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

jest.setTimeout(180_000);

const SANDBOX = join(import.meta.dirname, '../../../sandbox/dist');
const PLATFORM = join(import.meta.dirname, '../../../../libs/platform/dist/index.js');

/** A phone whose code is always the same. */
const PHONE = '919999900042';
const CODE = '123456';

describe('traces', () => {
  let service: TestService;
  let collector: Collector;
  let outside: Processes;
  let processes: ServiceProcesses;
  let traced: RunningProcess;
  let trusting: RunningProcess;
  beforeAll(async () => {
    [service, collector] = await Promise.all([startService(), Collector.start()]);
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_TRACES_SAMPLER_ARG: '1',
      OTEL_RESOURCE_ATTRIBUTES: 'k8s.pod.name=users-7, team=deposits%20team',
      SERVICE_VERSION: '1.2.3',
    };
    outside = new Processes(SANDBOX, {
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      HTTPS_PORT: '0',
      SMTP_PORT: '0',
    });
    const sandbox = await outside.start({ ...tracing, TRACE_PARENT_ACCEPTED: 'true' });
    processes = new ServiceProcesses({ ...service.environment, ...(await providersAt(sandbox.url)) });
    const trust = { OTEL_TRACES_SAMPLER_ARG: '0', TRACE_PARENT_ACCEPTED: 'true' };
    [traced, trusting] = await Promise.all([
      processes.start(tracing),
      processes.start({ ...tracing, ...trust }),
    ]);
  });
  afterAll(async () => {
    await processes?.killAll();
    await outside?.killAll();
    await collector?.stop();
    await service?.close();
  });

  async function providersAt(url: string): Promise<Environment> {
    const { smtp } = (await (await fetch(`${url}/api/ports`)).json()) as { smtp: number };
    return {
      ...providerSettings(url),
      SMS_PRIMARY_URL: `${url}/providers/sms/primary/messages`,
      SMS_FALLBACK_URL: `${url}/providers/sms/fallback/messages`,
      MAIL_SMTP_URL: `smtp://127.0.0.1:${smtp}`,
    };
  }

  const childrenOf = ({ spanId, traceId }: ReceivedSpan): ReceivedSpan[] =>
    collector.spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);

  const spanNamed = (name: string): ReceivedSpan => {
    const found = collector.spans.find((span) => span.name === name && span.service === 'users-service');
    if (!found) throw new Error(`no span ${name}: ${collector.spans.map((span) => span.name).join()}`);
    return found;
  };

  it('traces a call, its stores and its providers, without personal data', async () => {
    const person = aPerson({ phone: PHONE });
    const customer = new JourneyClient(traced.url, 'aravalli', person);
    await customer.register();
    const login = await customer.call('POST', '/auth/api/v2/register/verify', verifyBody(PHONE, CODE));
    const token = login.body.payload['access_token'] as string;
    customer.useToken(token);
    const name = ((await customer.pan()).body.payload['full_name'] as string) ?? '';
    await customer.etb();
    await customer.tryEmail();
    await customer.bank();
    await customer.call('GET', `/api/v1/user-profile?account_holder_name=${encodeURIComponent(name)}`);
    await customer.call('GET', `/nowhere/${person.account}`);
    await eventually(() => spanNamed('GET unmatched'));

    const verified = spanNamed('POST /api/v1/pan-verification');
    expect(verified).toMatchObject({
      parentSpanId: '',
      isError: false,
      attributes: { 'http.route': '/api/v1/pan-verification', 'http.response.status_code': 200 },
    });
    const asked = childrenOf(verified);
    expect(
      new Set(asked.map((span) => span.attributes['db.system.name'] ?? span.attributes['peer.service'])),
    ).toEqual(new Set(['postgresql', 'redis', 'pan-registry']));
    const [provider] = asked.filter((span) => span.attributes['peer.service'] === 'pan-registry');
    const [answered, ...others] = await eventually(() => {
      const found = childrenOf(provider!);
      expect(found).not.toEqual([]);
      return found;
    });
    expect([answered!.service, answered!.name.split(' ')[0], others]).toEqual(['sandbox', 'POST', []]);
    for (const sent of [
      'POST /auth/register',
      'POST /api/v1/email/send-otp',
      'POST /api/v1/bank/sync-to-issuer',
    ])
      expect(childrenOf(spanNamed(sent)).some((span) => span.attributes['peer.service'])).toBe(true);

    // log lines and the trace refer to each other
    const lines = traced
      .log()
      .split('\n')
      .filter((line) => line.includes(verified.traceId));
    expect(lines.some((line) => line.includes('"msg":"request"'))).toBe(true);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ version: '1.2.3', pod: 'users-7' });
    for (const known of ['"1.2.3"', '"users-7"', '"deposits team"'])
      expect(collector.received).toContain(known);
    const requestId = (JSON.parse(lines[0]!) as { request_id: string }).request_id;
    expect(verified.attributes['request_id']).toBe(requestId);

    // statements have names, and a script that Redis has not cached is no error
    expect(asked.some(({ name }) => /^postgres (?:with|insert|update|select) [a-z_]+$/.test(name))).toBe(
      true,
    );
    expect(collector.spans.filter(({ name, isError }) => name === 'redis evalsha' && isError)).toEqual([]);
    expect(spanNamed('GET unmatched').attributes['error.code']).toBe(GeneralErrors.routeUnknown.code);
    expect(verified.attributes).not.toHaveProperty('error.code');

    const personal = [
      ...[PHONE, PHONE.slice(2), CODE, token, token.split('.')[2]!, person.pan, person.dob, person.email],
      ...[
        person.account,
        person.ifsc,
        name,
        encodeURIComponent(name),
        ...name.split(' ').filter((w) => w.length > 4),
      ],
    ];
    const found = personal.filter((value) =>
      new RegExp(`(?<![\\w])${escaped(value)}(?![\\w])`, 'i').test(collector.received),
    );
    expect(found).toEqual([]);
    expect(collector.received).not.toMatch(/insert into|select \*|\$1/i);
  });

  const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

  it("continues the caller's trace only where that is allowed", async () => {
    const forged = 'a'.repeat(32);
    const traceparent = (id: string, isKept: boolean): Record<string, string> => ({
      traceparent: `00-${id}-${'b'.repeat(16)}-0${isKept ? 1 : 0}`,
    });
    const port = (running: RunningProcess): number => Number(new URL(running.url).port);
    const path = '/api/v1/consents';
    await call(port(traced), path, { headers: traceparent(forged, true) });
    const state = { tracestate: 'zq=asha.rao@marked.example' };
    await call(port(trusting), path, { headers: { ...traceparent('c'.repeat(32), true), ...state } });
    await call(port(trusting), path, { headers: traceparent('d'.repeat(32), false) });
    await call(port(trusting), path);
    await eventually(() => {
      const ids = collector.spans.filter(({ name }) => name === `GET ${path}`).map(({ traceId }) => traceId);
      expect(ids).toHaveLength(2);
      expect(ids).toContain('c'.repeat(32));
      expect(ids).not.toContain(forged);
    });
    expect(collector.received).not.toContain('marked.example');
  });

  it('traces neither health checks nor metrics', () => {
    expect(collector.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
  });

  it('delays neither calls nor shutdown when the collector does not answer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const lifeWith = async (endpoint: number): Promise<void> => {
      const running = await processes.start({
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${endpoint}`,
        OTEL_TRACES_SAMPLER_ARG: '1',
      });
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => fetch(`${running.url}/.well-known/jwks.json`)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const signalledAt = performance.now();
      expect(await running.terminate()).toBe(0);
      expect(performance.now() - signalledAt).toBeLessThan(15_000);
      expect(running.errors()).toBe('');
    };
    await Promise.all([await freePort(), port].map(lifeWith));
    silent.close();
  });

  it('loads no tracing code without an endpoint', () => {
    const script = `
      await import(${JSON.stringify(PLATFORM)});
      const { default: module } = await import('node:module');
      const loaded = Object.keys(module._cache).map((file) => /@opentelemetry\\/([\\w-]+)/.exec(file)?.[1]);
      console.log(JSON.stringify([...new Set(loaded.filter(Boolean))]));`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(out)).toEqual(['api']);
  });
});
