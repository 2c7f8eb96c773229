import type { Environment } from '@fd/platform';
import { ScriptedProvider } from './scripted-provider.js';
import { startService, type TestService } from './users-app.js';

/** What one test starts for itself alone. */
export interface Own {
  end(): Promise<void>;
}

/**
 * A test with what START sets up for it alone: it can run beside others, where `it.concurrent` calls no `beforeEach`.
 * It is ended after the test.
 */
export const withOwn =
  <Fixture extends Own, Case extends unknown[]>(
    start: () => Promise<Fixture>,
    test: (fixture: Fixture, ...of: Case) => Promise<void>,
  ) =>
  async (...of: Case): Promise<void> => {
    const fixture = await start();
    try {
      await test(fixture, ...of);
    } finally {
      await fixture.end();
    }
  };

export interface OwnProvider extends Own {
  readonly service: TestService;
  /** Does as the test tells it. */
  readonly provider: ScriptedProvider;
}

/**
 * A test with a service and a provider of its own: no circuit breaker remembers the failures of another test.
 * @param settings those of a service that calls the provider at URL
 */
export const withProvider = <Case extends unknown[]>(
  settings: (url: string) => Environment,
  test: (own: OwnProvider, ...of: Case) => Promise<void>,
) =>
  withOwn(async (): Promise<OwnProvider> => {
    const provider = await ScriptedProvider.start();
    const service = await startService(settings(provider.url));
    const end = async () => {
      await service.close();
      await provider.stop();
    };
    return { service, provider, end };
  }, test);
