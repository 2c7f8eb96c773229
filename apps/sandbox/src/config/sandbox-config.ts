import { join } from 'node:path';
import {
  type Environment,
  type HttpConfig,
  httpConfig,
  httpSettings,
  loadConfig,
  setting,
} from '@fd/platform';
import { z } from 'zod';

/** URLs that the console calls from the browser, and its credentials. */
export interface ConsoleConfig {
  /** Base URLs without a slash at the end. */
  readonly users: string;
  readonly master: string;
  readonly apiKey: string;
  readonly partnerUrl: string;
}

/** Where a server listens; port 0 is any free one. */
interface ListenConfig {
  readonly host: string;
  readonly port: number;
}

/** Injection token of the settings. */
export const SANDBOX_CONFIG = Symbol('settings of the sandbox');

export interface SandboxConfig {
  readonly http: HttpConfig;
  readonly hostedPages: ListenConfig & {
    /** Public base URL, without a slash at the end; undefined: the port on localhost. */
    readonly publicUrl: string | undefined;
  };
  readonly mail: ListenConfig;
  readonly console: ConsoleConfig;
  /** Folder of the built documentation site; it need not exist. */
  readonly guideFolder: string;
  /** Where Cashfree and Setu send webhooks, by client id. */
  readonly webhookUrls: Readonly<Record<string, string>>;
  /** Keeps the offset of the clock over restarts; undefined: it is lost at the end. */
  readonly clockFile: string | undefined;
  /** Contains the secret and the key of the sample partner's backend; undefined: it gets no events. */
  readonly partnerEventsFile: string | undefined;
}

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');
const baseUrl = setting.url('http:', 'https:').transform(withoutSlash);
const port = setting.int(0, 65_535);

const settings = z.object({
  ...httpSettings,
  NODE_ENV: z
    .enum(['development', 'test'], {
      error: ({ input }) =>
        input === 'production'
          ? 'production is refused: the sandbox shows received codes to everyone'
          : 'must be development or test',
    })
    .default('development'),
  PORT: port.default(3_003),
  /** Pages hosted by other companies: eKYC and the document locker. */
  HTTPS_PORT: port.default(3_443),
  /** Public URL of those pages, if not localhost. */
  PUBLIC_HTTPS_URL: setting.url('https:').transform(withoutSlash).optional(),
  SMTP_PORT: port.default(2_525),
  /** Public URLs of the services, which the console calls from the browser. */
  USERS_BASE_URL: baseUrl.default('http://localhost:3001'),
  MASTER_BASE_URL: baseUrl.default('http://localhost:3002'),
  /** Defaults of the console: a key of master-service, and a partner of users-service. */
  CONSOLE_API_KEY: z.string().default('sandbox-api-key'),
  CONSOLE_PARTNER_URL: setting.url('http:', 'https:').default('https://app.partner.example'),
  /** `<client id>=<URL>,...`; PUT /api/webhooks changes them. */
  VENDOR_WEBHOOKS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.string().regex(/^[^=]+=https?:\/\/\S+$/, 'must be <client id>=<URL>,...')))
    .transform((entries): Record<string, string> => {
      const pairs = entries.map((entry) => [entry, entry.indexOf('=')] as const);
      return Object.fromEntries(
        pairs.map(([entry, at]) => [entry.slice(0, at), entry.slice(at + 1)] as const),
      );
    }),
  GUIDE_FOLDER: z.string().default(join(import.meta.dirname, '../../../../guide/dist')),
  CLOCK_FILE: z.string().optional(),
  PARTNER_EVENTS_FILE: z.string().optional(),
});

/**
 * Reads and checks the settings once.
 * @throws ConfigError that names every problem, NODE_ENV=production among them
 */
export function sandboxConfig(env: Environment): SandboxConfig {
  const given = loadConfig(settings, env);
  const { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS = MAX_CONNECTIONS } = given;
  // all callers are the services and the browser of one machine
  const http = httpConfig({ ...given, MAX_CONNECTIONS_PER_ADDRESS });
  return {
    http,
    hostedPages: { host: http.host, port: given.HTTPS_PORT, publicUrl: given.PUBLIC_HTTPS_URL },
    mail: { host: http.host, port: given.SMTP_PORT },
    console: {
      users: given.USERS_BASE_URL,
      master: given.MASTER_BASE_URL,
      apiKey: given.CONSOLE_API_KEY,
      partnerUrl: given.CONSOLE_PARTNER_URL,
    },
    guideFolder: given.GUIDE_FOLDER,
    webhookUrls: given.VENDOR_WEBHOOKS,
    clockFile: given.CLOCK_FILE,
    partnerEventsFile: given.PARTNER_EVENTS_FILE,
  };
}

/** The environment of this process. */
export const environment: Environment = process.env;
