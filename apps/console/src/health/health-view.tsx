import { useCallback } from 'preact/hooks';
import { Liveness, ViewHead } from '../shell/parts.js';
import type { Settings } from '../shell/sandbox-api.js';
import { usePolled } from '../shell/use-polled.js';
import { ago } from '../shell/words.js';
import { type Health, healthOf } from './health.js';

const POLL_MS = 2_000;

const STATE_TEXTS: Readonly<Record<Health['state'], string>> = {
  ready: 'Ready',
  'not ready': 'Not ready',
  down: 'Does not answer',
  hidden: 'Answers; its gateway hides its health',
};
const STATE_KINDS: Readonly<Record<Health['state'], string>> = {
  ready: 'good',
  'not ready': 'warn',
  down: 'bad',
  hidden: 'warn',
};

interface Named {
  readonly name: string;
  readonly url: string;
  readonly health: Health;
}

async function ask(url: string, signal: AbortSignal): Promise<Response | undefined> {
  return fetch(url, { signal, credentials: 'omit' }).catch(() => undefined);
}

const json = (response: Response | undefined): Promise<unknown> | undefined =>
  response?.json().catch(() => undefined);

/** OpenAPI info of the services: fetched once, and again after a service was unreachable. */
const documents = new Map<string, unknown>();

async function documentOf(url: string, isThere: boolean, signal: AbortSignal): Promise<unknown> {
  if (!isThere) documents.delete(url);
  if (!documents.has(url)) {
    const response = await ask(`${url}/openapi.json`, signal);
    if (!response?.ok) return undefined;
    documents.set(url, await json(response));
  }
  return documents.get(url);
}

async function probe(name: string, url: string, signal: AbortSignal): Promise<Named> {
  const startedAt = performance.now();
  const ready = await ask(`${url}/health/ready`, signal);
  const durationMs = Math.round(performance.now() - startedAt);
  const [live, metrics] = await Promise.all(
    ['/health/live', '/metrics'].map((path) => ask(url + path, signal)),
  );
  const document = await documentOf(url, ready !== undefined, signal);
  const health = healthOf({
    live,
    ready: ready && { status: ready.status, body: await json(ready) },
    document,
    metrics: metrics?.ok ? await metrics.text() : undefined,
    durationMs,
  });
  return { name, url, health };
}

/** Both services and the sandbox, as a browser sees them. */
export function HealthView({ settings }: { readonly settings: Settings }) {
  const load = useCallback(
    (signal: AbortSignal) =>
      Promise.all([
        probe('users-service', settings.users_base_url, signal),
        probe('master-service', settings.master_base_url, signal),
        probe('sandbox', location.origin, signal),
      ]),
    [settings],
  );
  const { data, problem } = usePolled(load, POLL_MS);
  return (
    <>
      <ViewHead
        title="Health"
        lead="Polled from this browser every two seconds: liveness, readiness and dependencies."
      >
        <Liveness problem={problem} isLoading={!data} />
      </ViewHead>
      <ul class="services" aria-label="Services">
        {data?.map((service) => (
          <ServiceCard key={service.name} {...service} />
        ))}
      </ul>
    </>
  );
}

function ServiceCard({ name, url, health }: Named) {
  const { state, isAlive, checks, version, node, startedAt, durationMs } = health;
  const facts: readonly (readonly [string, string])[] = [
    ['Alive', isAlive === undefined ? 'not known' : isAlive ? 'yes' : 'no'],
    ...Object.entries(checks).map(([check, up]) => [check, up] as const),
    ['Interface', version ?? 'not known'],
    ['Node.js', node ?? 'not known'],
    ['Started', startedAt ? ago(startedAt, new Date()) : 'not known'],
    ['Answered in', state === 'down' ? '–' : `${durationMs} ms`],
  ];
  return (
    <li class={`panel service is-${STATE_KINDS[state]}`}>
      <div class="service-head">
        <h2>{name}</h2>
        <span class={`chip ${STATE_KINDS[state]}`}>{STATE_TEXTS[state]}</span>
      </div>
      <a href={`${url}/docs`}>{url}</a>
      <dl class="facts">
        {facts.map(([term, value]) => (
          <div key={term} class={value === 'down' || value === 'no' ? 'is-bad' : ''}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
