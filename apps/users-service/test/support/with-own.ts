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
