import type { Environment } from '@fd/platform';
import { ScriptedProvider } from './scripted-provider.js';
import { startService, type TestService } from './users-app.js';

/** Resources that one test starts for itself. */
export interface Own {
  end(): Promise<void>;
}

/**
 * Wraps a test with its own fixture, made by START and ended after the test. Such tests can run in parallel, because
 * `it.concurrent` calls no `beforeEach`.
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
  /** Behaves as the test scripts it. */
  readonly provider: ScriptedProvider;
}

/**
 * Wraps a test with its own service and provider, so that no circuit breaker remembers failures of another test.
 * @param settings of a service that calls the provider at URL
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
