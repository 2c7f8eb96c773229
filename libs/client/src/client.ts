import type { paths as MasterPaths } from './generated/master-service.js';
import type { paths as UsersPaths } from './generated/users-service.js';
import { type Send, ServiceClient } from './service-client.js';
import { Session, type SessionEnd } from './session.js';
import { MemoryTokenStorage, type TokenStorage } from './token-storage.js';
import { type Fetch, Transport } from './transport.js';

export interface ClientOptions {
  /** Base URL of users-service, such as `http://localhost:3001`. */
  readonly usersUrl: string;
  /** Base URL of master-service, such as `http://localhost:3002`. Without it there is no `master`. */
  readonly masterUrl?: string;
  /** Sent as `apikey` with every call to master-service. In a browser it is visible to the user. */
  readonly apiKey?: string;
  /** Storage of the tokens. Defaults to memory. */
  readonly storage?: TokenStorage;
  /** Called once when the session ends: by `logOut`, also of another client with the same storage, or when it cannot be renewed. */
  readonly onSessionEnd?: (why: SessionEnd) => void;
  /** Time limit of an attempt in milliseconds. Defaults to 10000. */
  readonly timeoutMs?: number;
  /** Attempts after the first. Defaults to 2. */
  readonly maxRetries?: number;
  /** Longest `Retry-After` in seconds for which the client waits. Defaults to 5. */
  readonly maxRetryAfterSeconds?: number;
  /** Replaces the platform's fetch, such as for tests or logs. It sees tokens, codes and PANs: log no headers and bodies. */
  readonly fetch?: Fetch;
}

/** `master` exists when the options have a `masterUrl`. */
export interface Client<Master = ServiceClient<MasterPaths>> {
  readonly users: ServiceClient<UsersPaths>;
  readonly master: Master;
  readonly session: Session;
}

/** A client of both services, or of users-service only. It has one session: a server needs a client for each person. */
export function createClient(options: ClientOptions & { readonly masterUrl: string }): Client;
export function createClient(options: ClientOptions): Client<undefined>;
export function createClient(options: ClientOptions): Client<ServiceClient<MasterPaths> | undefined> {
  const transport = new Transport({
    timeoutMs: options.timeoutMs ?? 10_000,
    maxRetries: options.maxRetries ?? 2,
    maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 5,
    // not called as a method, which browsers refuse
    fetch: options.fetch ?? ((request, init) => fetch(request, init)),
  });
  const send: Send = (request, fetch) => transport.send(request, fetch);
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

function masterOf({ masterUrl, apiKey }: ClientOptions, send: Send): ServiceClient<MasterPaths> | undefined {
  if (masterUrl === undefined) return undefined;
  return new ServiceClient(withoutSlash(masterUrl), (request, fetch) => {
    if (apiKey !== undefined) request.headers.set('apikey', apiKey);
    return send(request, fetch);
  });
}

const withoutSlash = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url);
