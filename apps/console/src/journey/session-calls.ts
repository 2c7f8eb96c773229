import { type Exchange, isGood, payloadOf } from '../calls/exchange.js';
import { send } from '../calls/send.js';
import { type OpenApi, takesIssuerCode } from '../forms/open-api.js';
import type { Body } from '../forms/schema.js';
import type { Call, Journey } from './journey.js';

/** Data of the session that a call needs. */
export interface Session {
  readonly token: string;
  readonly refreshToken: string;
  readonly journey: Journey | undefined;
  readonly document: OpenApi | undefined;
}

interface How {
  readonly isBackground?: boolean;
  readonly key?: string | undefined;
}

type Tokens = Pick<Session, 'token' | 'refreshToken'>;

interface SessionKeeper {
  /** Whether this session is still the current one: its calls never use the tokens of a later session. */
  readonly isCurrent: () => boolean;
  readonly session: () => Session;
  readonly keep: (tokens: Tokens) => void;
  /** Called with each answered call, including renewals of tokens. */
  readonly record: (exchange: Exchange) => void;
}

/** Makes calls to users-service with the person's tokens, and renews the tokens when they are refused. */
export class SessionCalls {
  private renewing: Promise<boolean> | undefined;

  constructor(
    private readonly baseUrl: string,
    private readonly keeper: SessionKeeper,
  ) {}

  /** Makes a call; `how.key` is its Idempotency-Key. */
  async make(call: Call, body: Body | undefined, how: How = {}): Promise<Exchange> {
    const { token } = this.keeper.session();
    const exchange = await this.makeOnce(call, body, how);
    const isRefused = exchange.answer?.status === 401 && !call.path.startsWith('/auth/');
    if (!isRefused || !this.keeper.isCurrent()) return exchange;
    const isRenewed = token !== this.keeper.session().token || (await this.renewOnce());
    return isRenewed && this.keeper.isCurrent() ? this.makeOnce(call, body, how) : exchange;
  }

  /** Sends a request again unchanged, except for the current access token. */
  async repeat({ request, title }: Exchange): Promise<Exchange> {
    const { token } = this.keeper.session();
    const hadToken = 'authorization' in request.headers && token !== '';
    const headers = hadToken ? { ...request.headers, authorization: `Bearer ${token}` } : request.headers;
    const exchange = await send({ ...request, headers }, { title });
    this.keeper.record(exchange);
    return exchange;
  }

  /** Makes a GET for the console itself. */
  read(title: string, path: string): Promise<Exchange> {
    const call = { key: path, step: '', title, method: 'GET', path, schema: undefined };
    return this.make(call, undefined, { isBackground: true });
  }

  /** Shares one renewal between calls that are refused at the same time: using a refresh token twice ends the session. */
  private renewOnce(): Promise<boolean> {
    this.renewing ??= this.renewTokens().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  /** Exchanges the refresh token for new tokens. Returns whether that succeeded. */
  private async renewTokens(): Promise<boolean> {
    const { refreshToken } = this.keeper.session();
    if (refreshToken === '') return false;
    const path = '/auth/api/v2/token/refresh';
    const call = { key: path, step: '', title: 'New tokens', method: 'POST', path, schema: undefined };
    const exchange = await this.makeOnce(call, { refresh_token: refreshToken }, { isBackground: true });
    if (isGood(exchange)) this.keeper.keep(tokensOf(payloadOf(exchange)));
    return isGood(exchange);
  }

  private async makeOnce(call: Call, body: Body | undefined, how: How): Promise<Exchange> {
    const { token, journey, document } = this.keeper.session();
    const url = new URL(this.baseUrl + call.path);
    if (journey && document && takesIssuerCode(document, call.method, call.path))
      url.searchParams.set('issuer_code', journey.issuer_code);
    const headers = {
      ...(token === '' || call.path.startsWith('/auth/') ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(how.key === undefined ? {} : { 'idempotency-key': how.key }),
    };
    const request = { method: call.method, url: url.href, headers, body };
    const exchange = await send(request, { title: call.title, isBackground: how.isBackground ?? false });
    this.keeper.record(exchange);
    return exchange;
  }
}

export const tokensOf = (payload: Readonly<Record<string, unknown>>): Tokens => ({
  token: String(payload['access_token']),
  refreshToken: String(payload['refresh_token']),
});
