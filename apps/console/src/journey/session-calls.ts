import { type Client, createClient, type TokenStorage } from '@fd/client';
import type { Exchange } from '../calls/exchange.js';
import { exchangeOf, ONE_ATTEMPT, recording } from '../calls/send.js';
import { takesIssuerCode } from '../forms/open-api.js';
import type { Body } from '../forms/schema.js';
import type { Call } from './journey.js';
import type { JourneyState } from './journey-state.js';

interface How {
  readonly isBackground?: boolean;
  /** Idempotency-Key. */
  readonly key?: string | undefined;
}

interface SessionKeeper {
  readonly state: () => Pick<JourneyState, 'journey' | 'document'>;
  /** Has no tokens once another session has begun. */
  readonly storage: TokenStorage;
  /** Called with each answered call, including renewals of tokens. */
  readonly record: (exchange: Exchange) => void;
}

/** The calls of one session to users-service, each recorded for the log. */
export class SessionCalls {
  private readonly client: Client<undefined>;

  constructor(
    usersUrl: string,
    private readonly keeper: SessionKeeper,
  ) {
    const { storage, record } = keeper;
    // the client renews the tokens on its own; all other calls record themselves
    const fetch = recording({ title: 'New tokens', isBackground: true }, record);
    this.client = createClient({ ...ONE_ATTEMPT, usersUrl, storage, fetch });
  }

  make(call: Call, body: Body | undefined, { key, isBackground = false }: How = {}): Promise<Exchange> {
    const { method, path, title } = call;
    const { users, session } = this.client;
    const { journey, document } = this.keeper.state();
    const isOfIssuer = document && takesIssuerCode(document, method, path);
    const query = { issuer_code: isOfIssuer ? journey?.issuer_code : undefined };
    const request = { method, url: users.baseUrl + path, headers: {}, body };
    return exchangeOf(
      { title, isBackground, request },
      (fetch) => {
        const options = { fetch, idempotencyKey: key };
        // the form may send anything
        if (call.key === 'LOGIN') return session.logIn(body as never, options);
        return users.call(method, path, { ...options, query, body });
      },
      this.keeper.record,
    );
  }

  /** Sends a request of the log again with its Idempotency-Key and the current access token. */
  repeat({ request, title }: Exchange): Promise<Exchange> {
    const path = request.url.slice(this.client.users.baseUrl.length);
    const call = { key: path, step: '', title, method: request.method, path, schema: undefined };
    return this.make(call, request.body as Body | undefined, { key: request.headers['idempotency-key'] });
  }

  /** Makes a GET for the console itself. */
  read(title: string, path: string): Promise<Exchange> {
    const call = { key: path, step: '', title, method: 'GET', path, schema: undefined };
    return this.make(call, undefined, { isBackground: true });
  }
}
