import {
  type Environment,
  type HttpConfig,
  httpConfig,
  httpSettings,
  loadConfig,
  setting,
} from '@fd/platform';
import { z } from 'zod';

/** Base URLs that the page shows, without a slash at the end. */
export interface PageLinks {
  readonly sandbox: string;
  readonly users: string;
  readonly master: string;
}

export interface SandboxConfig {
  readonly http: HttpConfig;
  readonly links: PageLinks;
}

const baseUrl = setting.url('http:', 'https:').transform((url) => url.replace(/\/+$/, ''));

const settings = z.object({
  ...httpSettings,
  NODE_ENV: z
    .enum(['development', 'test'], {
      error: ({ input }) =>
        input === 'production'
          ? 'production is refused: the sandbox shows everybody the codes that it is sent'
          : 'must be development or test',
    })
    .default('development'),
  PORT: setting.int(0, 65_535).default(3_003),
  /** Where a browser reaches the services; only shown on the page. */
  USERS_BASE_URL: baseUrl.default('http://localhost:3001'),
  MASTER_BASE_URL: baseUrl.default('http://localhost:3002'),
});

/**
 * The settings of the sandbox, read and checked once.
 * @throws ConfigError naming every problem at once, NODE_ENV=production among them
 */
export function sandboxConfig(env: Environment): SandboxConfig {
  const given = loadConfig(settings, env);
  return {
    http: httpConfig(given),
    links: {
      sandbox: `http://localhost:${given.PORT}`,
      users: given.USERS_BASE_URL,
      master: given.MASTER_BASE_URL,
    },
  };
}

/** The environment of this process. */
export const environment: Environment = process.env;
