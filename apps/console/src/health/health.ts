/** The health of a service, as far as a browser can see it. */
export interface Health {
  /** `hidden`: it answers, but a gateway does not route its health checks. */
  readonly state: 'ready' | 'not ready' | 'down' | 'hidden';
  readonly isAlive: boolean | undefined;
  /** Its dependencies with their states. */
  readonly checks: Readonly<Record<string, string>>;
  /** Version of its interface. */
  readonly version: string | undefined;
  readonly node: string | undefined;
  readonly startedAt: Date | undefined;
  /** Duration of the readiness probe. */
  readonly durationMs: number;
}

/** Answers of one service; undefined for a missing answer or one that the page may not read (CORS). */
export interface Probe {
  readonly live: { readonly status: number } | undefined;
  readonly ready: { readonly status: number; readonly body: unknown } | undefined;
  readonly document: unknown;
  /** Prometheus' text format. */
  readonly metrics: string | undefined;
  readonly durationMs: number;
}

export function healthOf({ live, ready, document, metrics, durationMs }: Probe): Health {
  const info = (document as { info?: { version?: string } } | undefined)?.info;
  const startedAt = numberIn(lineOf(metrics, 'process_start_time_seconds'));
  return {
    state: stateOf(ready?.status, info !== undefined),
    isAlive: live && live.status === 200,
    checks: (ready?.body as { checks?: Record<string, string> } | undefined)?.checks ?? {},
    version: info?.version,
    node: /[{,]version="([^"]+)"/.exec(lineOf(metrics, 'nodejs_version_info') ?? '')?.[1],
    startedAt: startedAt === undefined ? undefined : new Date(startedAt * 1_000),
    durationMs,
  };
}

function stateOf(ready: number | undefined, isAnswering: boolean): Health['state'] {
  if (ready === 200) return 'ready';
  if (ready === 503) return 'not ready';
  return isAnswering ? 'hidden' : 'down';
}

/** The first value of a metric: its name, its labels in braces, if any, and a number. */
function lineOf(metrics: string | undefined, name: string): string | undefined {
  return metrics?.split('\n').find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
}

function numberIn(line: string | undefined): number | undefined {
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
}
