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
  const startedAt = numberIn(metrics, /^process_start_time_seconds(?:\{[^}]*\})? (\S+)/m);
  return {
    state: stateOf(ready?.status, info !== undefined),
    isAlive: live && live.status === 200,
    checks: (ready?.body as { checks?: Record<string, string> } | undefined)?.checks ?? {},
    version: info?.version,
    node: /^nodejs_version_info\{[^}]*version="([^"]+)"/m.exec(metrics ?? '')?.[1],
    startedAt: startedAt === undefined ? undefined : new Date(startedAt * 1_000),
    durationMs,
  };
}

function stateOf(ready: number | undefined, isAnswering: boolean): Health['state'] {
  if (ready === 200) return 'ready';
  if (ready === 503) return 'not ready';
  return isAnswering ? 'hidden' : 'down';
}

function numberIn(text: string | undefined, pattern: RegExp): number | undefined {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
