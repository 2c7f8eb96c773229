import { timeLimit } from '@fd/envelope';
import { reasonOf } from '@fd/errors';
import { checkedTogether, CommandError, type Environment, loadConfig } from '@fd/platform';
import { z } from 'zod';

const TIMEOUT_MS = timeLimit(10_000);

const settings = checkedTogether(
  z.object({
    NODE_ENV: z.string().optional(),
    FINERACT_URL: z.url({
      protocol: /^https?$/,
      error: 'must be an http(s) URL that ends in /fineract-provider/api',
    }),
    FINERACT_TENANT: z.string(),
    FINERACT_USER: z.string(),
    FINERACT_PASSWORD: z.string(),
  }),
  function* ({ NODE_ENV, FINERACT_URL }) {
    if (NODE_ENV === 'production' && FINERACT_URL?.startsWith('https:') === false)
      yield ['FINERACT_URL', 'must be an https URL in production'];
  },
);

/** [year, month, day] */
export const fineractDate = z.tuple([z.number(), z.number(), z.number()]);
type FineractDate = z.output<typeof fineractDate>;

/** YYYY-MM-DD */
export const isoDateOf = ([year, month, day]: FineractDate): string =>
  [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');

/** The API of an issuer's Apache Fineract, for commands. */
export class FineractApi {
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;

  /**
   * @param env FINERACT_URL, FINERACT_TENANT, FINERACT_USER and FINERACT_PASSWORD
   * @throws ConfigError with all problems of the settings
   */
  constructor(env: Environment) {
    const given = loadConfig(settings, env);
    const login = Buffer.from(`${given.FINERACT_USER}:${given.FINERACT_PASSWORD}`).toString('base64');
    this.url = `${given.FINERACT_URL.replace(/\/$/, '')}/v1`;
    this.headers = {
      authorization: `Basic ${login}`,
      'fineract-platform-tenantid': given.FINERACT_TENANT,
      accept: 'application/json',
    };
  }

  /** @throws CommandError when Fineract does not answer, refuses, or answers in another format */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return this.call('GET', path, schema);
  }

  /** @throws CommandError as `get` */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    return this.call('POST', path, schema, body);
  }

  /** @throws CommandError as `get` */
  async delete(path: string): Promise<void> {
    await this.call('DELETE', path, z.object({ resourceId: z.number() }));
  }

  private async call<Schema extends z.ZodType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    schema: Schema,
    body?: object,
  ): Promise<z.output<Schema>> {
    const response = await fetch(`${this.url}/${path}`, {
      method,
      headers: body ? { ...this.headers, 'content-type': 'application/json' } : this.headers,
      body: body ? JSON.stringify(body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new CommandError(`Fineract does not answer ${path} (${reasonOf(error)})`);
    });
    if (!response.ok) throw new CommandError(`Fineract answers ${response.status} to ${path}`);
    const answer = schema.safeParse(await response.json().catch(() => undefined));
    if (answer.success) return answer.data;
    const places = answer.error.issues.map((issue) => issue.path.join('.') || 'the answer');
    throw new CommandError(`Fineract answers ${path} in another format: see ${places.join(', ')}`);
  }
}
