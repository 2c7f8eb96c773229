import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type * as Bruno from '@usebruno/lang';

/**
 * Runs a folder of a Bruno collection in its order, like Bruno's own runner, which is too large a dependency.
 * A block of a request that this class does not know is an error.
 */
export class BrunoCollection {
  private readonly variables = new Map<string, string>();

  private constructor(
    private readonly folder: string,
    private readonly bruno: typeof Bruno,
    private readonly onExchange: (exchange: Exchange) => void,
  ) {}

  /**
   * @param environment its name; OVERRIDES replace its addresses of a developer's machine
   * @param onExchange called with each request and its answer, before the answer is checked
   */
  static async open(
    folder: string,
    environment: string,
    overrides: Readonly<Record<string, string>>,
    onExchange: (exchange: Exchange) => void = () => undefined,
  ): Promise<BrunoCollection> {
    // its parser takes two seconds to load, and most tests need none
    const bruno = await import('@usebruno/lang');
    const collection = new BrunoCollection(folder, bruno, onExchange);
    const text = readFileSync(join(folder, 'environments', `${environment}.bru`), 'utf8');
    for (const { name, value } of (bruno.bruToEnvJsonV2(text) as BrunoEnvironment).variables)
      collection.variables.set(name, overrides[name] ?? value);
    return collection;
  }

  /**
   * @returns the names of the requests in their order
   * @throws Error naming the request whose answer is not what it asserts
   */
  async run(folder: string): Promise<string[]> {
    const requests = readdirSync(join(this.folder, folder))
      .filter((name) => name.endsWith('.bru'))
      .map(
        (name) =>
          this.bruno.bruToJsonV2(readFileSync(join(this.folder, folder, name), 'utf8')) as BrunoRequest,
      )
      .sort((one, other) => Number(one.meta.seq) - Number(other.meta.seq));
    for (const request of requests) await this.make(request);
    return requests.map(({ meta }) => meta.name);
  }

  private async make(request: BrunoRequest): Promise<void> {
    const unknown = Object.keys(request).filter((block) => !KNOWN_BLOCKS.has(block));
    if (unknown.length > 0) throw new Error(`${request.meta.name} has ${unknown.join(', ')}`);
    const bru = { setVar: (name: string, value: string) => this.variables.set(name, value) };
    if (request.script?.req) runInNewContext(request.script.req, { bru });
    const answer = await this.decided(request);
    for (const { name, value } of request.assertions ?? [])
      this.check(request.meta.name, answer, name, value);
    for (const { name, value } of request.vars?.res ?? [])
      this.variables.set(name, String(read(answer, value)));
  }

  /** Sends a request; repeats a GET answered 202, and any call answered 503, after Retry-After, as a client does. */
  private async decided(request: BrunoRequest): Promise<object> {
    for (const end = Date.now() + LONGEST_WAIT_MS; ;) {
      const { retryAfterSeconds, ...answer } = await this.send(request);
      const { status } = answer.res;
      const isPending = status === 503 || (status === 202 && request.http.method.toUpperCase() === 'GET');
      if (!isPending || Date.now() > end) return answer;
      await sleep(retryAfterSeconds * 1_000);
    }
  }

  private async send({ meta, http, headers = [], auth, body }: BrunoRequest) {
    const json = body?.json && this.filled(body.json);
    const [url, method] = [this.filled(http.url), http.method.toUpperCase()];
    const response = await fetch(url, {
      method,
      headers: {
        ...Object.fromEntries(headers.map(({ name, value }) => [name, this.filled(value)])),
        ...(auth?.bearer ? { authorization: `Bearer ${this.filled(auth.bearer.token)}` } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: json }),
    });
    const text = await response.text();
    const res = { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as unknown };
    this.onExchange({ name: meta.name, method, url, sent: json, ...res });
    return { res, retryAfterSeconds: Number(response.headers.get('retry-after') ?? 1) };
  }

  private check(request: string, answer: object, what: string, rule: string): void {
    const [operator, ...rest] = this.filled(rule).split(' ');
    const expected = rest.join(' ');
    const got = read(answer, what);
    const holds =
      operator === 'gt' ? Number(got) > Number(expected) : operator === 'eq' && String(got) === expected;
    if (!holds)
      throw new Error(`${request}: ${what} ${rule}, but it is ${String(got)}: ${JSON.stringify(answer)}`);
  }

  private filled(text: string): string {
    return text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) => {
      if (name === '$guid') return randomUUID();
      if (name === '$isoTimestamp') return new Date().toISOString();
      const value = this.variables.get(name);
      if (value === undefined) throw new Error(`nothing has set {{${name}}}`);
      return value;
    });
  }
}

/** A request of the collection with its answer. */
export interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  /** The body as sent. */
  readonly sent: string | undefined;
  readonly status: number;
  readonly body: unknown;
}

interface Named {
  readonly name: string;
  readonly value: string;
}

interface BrunoEnvironment {
  readonly variables: readonly Named[];
}

/** The parts of a request in Bruno's parser that the collection uses. */
interface BrunoRequest {
  readonly meta: { readonly name: string; readonly seq: string };
  readonly http: { readonly method: string; readonly url: string };
  readonly headers?: readonly Named[];
  readonly auth?: { readonly bearer?: { readonly token: string } };
  readonly body?: { readonly json?: string };
  readonly vars?: { readonly res?: readonly Named[] };
  readonly assertions?: readonly Named[];
  readonly script?: { readonly req?: string };
}

/** Time limit for a bank or a registry to finish, and for a busy service. */
const LONGEST_WAIT_MS = 60_000;

/** `params` repeats the URL, `docs` are for people. */
const KNOWN_BLOCKS = new Set([
  'meta',
  'http',
  'params',
  'headers',
  'auth',
  'body',
  'vars',
  'assertions',
  'script',
  'docs',
]);

/** The value at a place such as `res.body.payload.issuers[0].f_code`. */
function read(root: unknown, place: string): unknown {
  return place
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .reduce((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], root);
}
