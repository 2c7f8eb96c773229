import type { paths as MasterPaths } from './generated/master-service.js';
import type { paths as UsersPaths } from './generated/users-service.js';
import { ServiceClient } from './service-client.js';
import { Session, type SessionEnd } from './session.js';
import { MemoryTokenStorage, type TokenStorage } from './token-storage.js';
import { Transport } from './transport.js';

export interface ClientOptions {
  /** Base URL of users-service, such as `http://localhost:3001`. */
  readonly usersUrl: string;
  /** Base URL of master-service, such as `http://localhost:3002`. Without it there is no `master`. */
  readonly masterUrl?: string;
  /** Sent as `apikey` with every call to master-service. A browser shows it to everybody. */
  readonly apiKey?: string;
  /** Where the tokens are kept; in memory, unless told otherwise. */
  readonly storage?: TokenStorage;
  /** Told once when nobody is logged in any more: after `logOut`, or when the session cannot be renewed. */
  readonly onSessionEnd?: (why: SessionEnd) => void;
  /** Milliseconds that one attempt may take: 10000. */
  readonly timeoutMs?: number;
  /** Attempts after the first: 2. */
  readonly maxRetries?: number;
  /** Longest `Retry-After` that is waited for: 5 seconds. */
  readonly maxRetryAfterSeconds?: number;
  /** In place of the platform's own, such as for tests or logs. */
  readonly fetch?: (request: Request, init: { signal: AbortSignal }) => Promise<Response>;
}

/** `master` is there when the options have a `masterUrl`. */
export interface Client<Master = ServiceClient<MasterPaths>> {
  readonly users: ServiceClient<UsersPaths>;
  readonly master: Master;
  readonly session: Session;
}

/** A client of both services, or of users-service alone. It keeps who is logged in: a server has one for each person. */
export function createClient(options: ClientOptions & { readonly masterUrl: string }): Client;
export function createClient(options: ClientOptions): Client<undefined>;
export function createClient(options: ClientOptions): Client<ServiceClient<MasterPaths> | undefined> {
  const transport = new Transport({
    timeoutMs: options.timeoutMs ?? 10_000,
    maxRetries: options.maxRetries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 5,
    // called anew each time, and not as a method: browsers refuse that
    fetch: options.fetch ?? ((request, init) => fetch(request, init)),
  });
  const send = (request: Request): Promise<Response> => transport.send(request);
  const usersUrl = withoutSlash(options.usersUrl);
  const session = new Session(
    usersUrl,
    options.storage ?? new MemoryTokenStorage(),
    send,
    options.onSessionEnd ?? (() => undefined),
  );
  return {
    users: new ServiceClient(usersUrl, session.send),
    master: masterOf(options, send),
    session,
  };
}

function masterOf(
  { masterUrl, apiKey }: ClientOptions,
  send: (request: Request) => Promise<Response>,
): ServiceClient<MasterPaths> | undefined {
  if (masterUrl === undefined) return undefined;
  return new ServiceClient(withoutSlash(masterUrl), (request) => {
    if (apiKey !== undefined) request.headers.set('apikey', apiKey);
    return send(request);
  });
}

const withoutSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url);
