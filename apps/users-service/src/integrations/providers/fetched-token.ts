import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { z } from 'zod';
import { basic, exchange, type ExpiringCredentials, type HeaderSet } from './http-exchange.js';
import { withTimeLimit } from './resilience.js';

/** The token endpoint of a provider: issues tokens for our client id and secret (RFC 6749, 4.4). */
export interface TokenEndpoint {
  readonly name: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  /** Text before the token in the header `Authorization`; default: `Bearer `. */
  readonly prefix?: string;
  readonly more?: HeaderSet;
}

const MAX_TOKEN = 16_384;

const issued = z.object({
  // sent in a header
  access_token: z
    .string()
    .max(MAX_TOKEN)
    .regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().positive().optional(),
});

/** Time limit of one fetch. A fetch may outlive the call that started it; then the next call finds the token. */
const LIMIT_MS = timeLimit(5_000);
/** Life of a token without `expires_in`. */
const UNKNOWN_LIFE_SECONDS = 300;
/** A token is not used in the last seconds of its life, at most the second half of it. */
const RESERVE_SECONDS = 30;

/** A token of a provider's token endpoint, kept until shortly before it expires. Parallel callers share one fetch. */
export class FetchedToken implements ExpiringCredentials {
  private kept: { readonly headers: HeaderSet; readonly until: number } | undefined;
  private fetching: Promise<HeaderSet> | undefined;

  constructor(private readonly endpoint: TokenEndpoint) {}

  async current(signal: AbortSignal): Promise<HeaderSet> {
    if (this.kept && performance.now() < this.kept.until) return this.kept.headers;
    this.fetching ??= this.fetch().finally(() => (this.fetching = undefined));
    return within(signal, this.fetching, () => this.failed('unavailable', 'token endpoint'));
  }

  /** Drops a refused token, unless a newer one has been fetched since: parallel calls may report the same token. */
  discard(refused: HeaderSet): void {
    if (this.kept?.headers === refused) this.kept = undefined;
  }

  private async fetch(): Promise<HeaderSet> {
    const { access_token, expires_in: life = UNKNOWN_LIFE_SECONDS } = await this.ask();
    const { prefix = 'Bearer ', more } = this.endpoint;
    const headers = { authorization: `${prefix}${access_token}`, ...more };
    const usableSeconds = life - Math.min(RESERVE_SECONDS, life / 2);
    this.kept = { headers, until: performance.now() + usableSeconds * 1_000 };
    return headers;
  }

  /** Requests a token. A failure says that nothing was sent to the provider's API, so no outcome is unknown. */
  private async ask(): Promise<z.output<typeof issued>> {
    const { name, url, clientId, clientSecret, scope } = this.endpoint;
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) });
    const credentials = basic(formEncoded(clientId), formEncoded(clientSecret));
    const call = { url, credentials, body, maxTextLength: MAX_TOKEN + 1 } as const;
    const { status, body: answer } = await withTimeLimit(LIMIT_MS, (signal) =>
      exchange(name, call, signal),
    ).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      throw this.failed('unavailable', [error.detail, 'token endpoint'].filter(Boolean).join(': '));
    });
    const isDown = status === 408 || status === 429 || status >= 500;
    if (isDown) throw this.failed('unavailable', `status ${status}: token endpoint`);
    // RFC 6749, 5.2; and 403 of a gateway
    const isRefusal = [400, 401, 403].includes(status);
    if (isRefusal) throw this.failed('misconfigured', `status ${status}: token refused`);
    const read = issued.safeParse(status === 200 ? answer : undefined);
    // probably another server has answered
    if (!read.success) throw this.failed('misconfigured', `status ${status}: no token`);
    return read.data;
  }

  private failed(failure: 'unavailable' | 'misconfigured', detail: string): ProviderError {
    return new ProviderError(this.endpoint.name, failure, { detail });
  }
}

/** Returns the result of WORK; rejects with WHEN_LATE() once SIGNAL fires. WORK continues for other callers. */
function within<T>(signal: AbortSignal, work: Promise<T>, whenLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(whenLate());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Names and secrets in Basic authentication of a token endpoint (RFC 6749, 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
