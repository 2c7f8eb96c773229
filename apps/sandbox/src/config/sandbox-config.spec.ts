import { ConfigError, type Environment } from '@fd/platform';
import { sandboxConfig } from './sandbox-config.js';

function problemsOf(env: Environment): readonly string[] {
  try {
    sandboxConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('sandbox settings', () => {
  it('gives all settings a default, and listens on this machine only', () => {
    const { http, console: given } = sandboxConfig({});
    expect([http.host, http.port, http.isProduction]).toEqual(['127.0.0.1', 3_003, false]);
    expect(given).toEqual({
      users: 'http://localhost:3001',
      master: 'http://localhost:3002',
      apiKey: 'sandbox-api-key',
      partnerUrl: 'https://app.partner.example',
    });
  });

  it('use the same address for hosted pages and mail', () => {
    const given = { HOST: '127.0.0.2', HTTPS_PORT: '0', PUBLIC_HTTPS_URL: 'https://sandbox.example:8443/' };
    expect(sandboxConfig(given)).toMatchObject({
      hostedPages: { host: '127.0.0.2', port: 0, publicUrl: 'https://sandbox.example:8443' },
      mail: { host: '127.0.0.2', port: 2_525 },
    });
    expect(sandboxConfig({}).hostedPages).toEqual({ host: '127.0.0.1', port: 3_443, publicUrl: undefined });
  });

  it('refuse production, together with any other problem', () => {
    expect(problemsOf({ NODE_ENV: 'production', PORT: '70000' })).toEqual([
      expect.stringMatching(/^NODE_ENV: production is refused/),
      expect.stringMatching(/^PORT: /),
    ]);
  });

  it.each([
    [{ NODE_ENV: 'staging' }, /^NODE_ENV: must be development or test$/],
    [{ USERS_BASE_URL: 'javascript:alert(1)' }, /^USERS_BASE_URL: must be a URL/],
    [{ CONSOLE_PARTNER_URL: 'app.partner.example' }, /^CONSOLE_PARTNER_URL: must be a URL/],
    [{ MASTER_BASE_URL: 'localhost:3002' }, /^MASTER_BASE_URL: must be a URL/],
    [
      { PUBLIC_HTTPS_URL: 'http://localhost:3443' },
      /^PUBLIC_HTTPS_URL: must be a URL that begins with https/,
    ],
    [{ HTTPS_PORT: '65536' }, /^HTTPS_PORT: /],
    [{ SMTP_PORT: 'smtp' }, /^SMTP_PORT: /],
    [{ VENDOR_WEBHOOKS: 'http://localhost:3001' }, /^VENDOR_WEBHOOKS/],
  ])('refuses %j', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(problem)]);
  });

  it('accept base URLs with a slash at the end', () => {
    expect(sandboxConfig({ USERS_BASE_URL: 'http://localhost:4001/' }).console.users).toBe(
      'http://localhost:4001',
    );
  });
});
