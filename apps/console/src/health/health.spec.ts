import { healthOf, type Probe } from './health.js';

const METRICS = `# HELP process_start_time_seconds Start time.
process_start_time_seconds 1700000000
nodejs_version_info{version="v20.20.2",major="20"} 1
`;

const UP: Probe = {
  live: { status: 200 },
  ready: { status: 200, body: { status: 'ok', checks: { postgres: 'up', redis: 'up' } } },
  document: { info: { version: '1.0.0' } },
  metrics: METRICS,
  durationMs: 12,
};

const NOTHING: Probe = {
  live: undefined,
  ready: undefined,
  document: undefined,
  metrics: undefined,
  durationMs: 3,
};

describe('health of a service', () => {
  it('reports a service as ready, with its checks and versions', () => {
    expect(healthOf(UP)).toEqual({
      state: 'ready',
      isAlive: true,
      checks: { postgres: 'up', redis: 'up' },
      version: '1.0.0',
      node: 'v20.20.2',
      startedAt: new Date(1_700_000_000_000),
      durationMs: 12,
    });
  });

  it('reports a service as alive but not ready while a dependency is down', () => {
    const ready = { status: 503, body: { status: 'unavailable', checks: { postgres: 'down', redis: 'up' } } };
    const { state, isAlive, checks } = healthOf({ ...UP, ready });
    expect([state, isAlive, checks['postgres']]).toEqual(['not ready', true, 'down']);
  });

  it('reports a service as down when nothing answers', () => {
    expect(healthOf(NOTHING)).toMatchObject({
      state: 'down',
      isAlive: undefined,
      checks: {},
      version: undefined,
    });
  });

  it('reports an unknown readiness behind a gateway that hides the probe', () => {
    expect(healthOf({ ...NOTHING, document: UP.document })).toMatchObject({
      state: 'hidden',
      version: '1.0.0',
    });
  });
});
