import type { paths as UsersPaths } from './generated/users-service.js';
import { ApiError } from './api-error.js';
import type { CallOptions, Operation, Payload } from './operations.js';
import { type Answer, type Send, ServiceClient } from './service-client.js';
import { MemoryTokenStorage, type Tokens, type TokenStorage } from './token-storage.js';

type VerifyOtp = Operation<UsersPaths, '/auth/api/v2/register/verify', 'post'>;
type LoginBody = VerifyOtp['requestBody']['content']['application/json'];
type StartAnew = Operation<UsersPaths, '/api/v1/account-confirmation/start-anew', 'post'>;

/** Why the session has ended. `logged-out`: also by another client with the same storage. */
export type SessionEnd = 'logged-out' | 'refused';

/**
 * The session. Adds the access token to every call, renews it when it is refused, and repeats that call once. Parallel refused
 * calls share one renewal.
 */
export class Session {
  private renewal: Promise<Tokens | null> | undefined;
  /** Whether tokens were in the storage that have not been reported as gone. */
  private isBegun = false;
  /** Without a token. */
  private readonly anonymous: ServiceClient<UsersPaths>;
  private readonly users: ServiceClient<UsersPaths>;

  constructor(
    private readonly usersUrl: string,
    private readonly storage: TokenStorage,
    private readonly transport: Send,
    private readonly onEnd: (why: SessionEnd) => void,
  ) {
    this.anonymous = new ServiceClient(usersUrl, transport);
    this.users = new ServiceClient(usersUrl, this.send);
  }

  async isLoggedIn(): Promise<boolean> {
    return (await this.read()) !== null;
  }

  /** Exchanges the code sent to the phone for a session, and stores its tokens. */
  async logIn(body: LoginBody, options: CallOptions = {}): Promise<Answer<Payload<VerifyOtp>>> {
    const answer = await this.anonymous.post('/auth/api/v2/register/verify', { body, ...options });
    await this.keep(tokensOf(answer.payload));
    return answer;
  }

  /**
   * Begins a new account for a person who has the number newly, in place of the one that a login with `needs_confirmation` has found, and
   * stores the tokens of its session.
   */
  async startAnew(options: CallOptions = {}): Promise<Answer<Payload<StartAnew>>> {
    const body = { start_anew: true };
    const answer = await this.users.post('/api/v1/account-confirmation/start-anew', { body, ...options });
    await this.keep(tokensOf(answer.payload));
    return answer;
  }

  /** Ends the session locally, and then at the service. @throws NoAnswerError, ApiError if it goes on at the service */
  async logOut({ allDevices = false } = {}): Promise<void> {
    const tokens = await this.read();
    if (!tokens) return;
    await this.end('logged-out');
    // renews the tokens if needed, but stores nothing
    const former = new Session(
      this.usersUrl,
      new MemoryTokenStorage(tokens),
      this.transport,
      () => undefined,
    );
    try {
      await former.users.post('/auth/api/v2/logout', { body: allDevices ? { all_devices: true } : {} });
    } catch (error) {
      // it has ended already
      if (!(error instanceof ApiError && error.statusCode === 401)) throw error;
    }
  }

  /** Sends a request with the session's token, if there is a session. */
  readonly send: Send = async (request, fetch) => {
    const tokens = await this.read();
    if (!tokens) return this.transport(request, fetch);
    const response = await this.transport(withToken(request, tokens), fetch);
    if (response.status !== 401) return response;
    const renewed = await this.renew(tokens);
    return renewed ? this.transport(withToken(request, renewed), fetch) : response;
  };

  /** Renews refused tokens; null when the person must log in again. */
  private renew(refused: Tokens): Promise<Tokens | null> {
    this.renewal ??= this.exchange(refused).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async exchange(refused: Tokens): Promise<Tokens | null> {
    const current = await this.read();
    // another call or another tab has renewed them
    if (current?.accessToken !== refused.accessToken) return current;
    try {
      const { payload } = await this.anonymous.post('/auth/api/v2/token/refresh', {
        body: { refresh_token: refused.refreshToken },
      });
      const kept = await this.read();
      // a login or logout meanwhile takes precedence
      if (kept?.refreshToken !== refused.refreshToken) return kept;
      const tokens = tokensOf(payload);
      await this.keep(tokens);
      return tokens;
    } catch (error) {
      if (!(error instanceof ApiError && error.statusCode === 401)) throw error;
      const kept = await this.read();
      if (kept?.refreshToken !== refused.refreshToken) return kept;
      await this.end('refused');
      return null;
    }
  }

  /** Reads the tokens, and reports once that another client has removed them. */
  private async read(): Promise<Tokens | null> {
    const tokens = await this.storage.read();
    const isGone = tokens === null && this.isBegun;
    this.isBegun = tokens !== null;
    if (isGone) this.onEnd('logged-out');
    return tokens;
  }

  private async keep(tokens: Tokens): Promise<void> {
    await this.storage.write(tokens);
    this.isBegun = true;
  }

  private async end(why: SessionEnd): Promise<void> {
    // before the write, so that a parallel call does not report it too
    this.isBegun = false;
    await this.storage.write(null);
    this.onEnd(why);
  }
}

const tokensOf = (payload: { access_token: string; refresh_token: string }): Tokens => ({
  accessToken: payload.access_token,
  refreshToken: payload.refresh_token,
});

/** Copies the request with the token; the original is repeated with another one. */
function withToken(request: Request, { accessToken }: Tokens): Request {
  const copy = request.clone();
  copy.headers.set('authorization', `Bearer ${accessToken}`);
  return copy;
}
