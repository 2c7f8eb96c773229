/** Types of the sandbox's answers; see its README and `/openapi.json`. */
export interface Settings {
  readonly users_base_url: string;
  readonly master_base_url: string;
  readonly api_key: string;
  readonly partner_url: string;
  readonly issuers: readonly string[];
}

export interface Message {
  readonly id: string;
  readonly to: string;
  readonly channel: string;
  readonly text: string;
  readonly code: string | null;
  readonly sent_at: string;
}

export interface OpenEkyc {
  readonly ekyc_request_id: string;
  readonly issuer_code: string;
  readonly method: string;
  readonly state: string;
  readonly url: string;
  readonly expires_at: string;
}

export interface OpenLocker {
  readonly session_id: string;
  readonly reference: string;
  readonly url: string;
  readonly expires_at: string;
}

export interface MagicValue {
  readonly input: string;
  readonly what: string;
  readonly value: string;
  readonly effect: string;
  readonly sample: string;
  readonly provider: string | null;
}

export interface Effect {
  readonly id: string;
  readonly provider: string;
  readonly kind: string;
  readonly subject: string;
  readonly idempotency_key: string | null;
  readonly calls: number;
  readonly at: string;
}

/** A call that a provider got, or a webhook that it sent. */
export interface WireCall {
  readonly id: string;
  readonly at: string;
  readonly kind: 'call' | 'webhook';
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  /** Null: no answer. */
  readonly status: number | null;
  readonly duration_ms: number;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body: string;
  readonly response_body: string;
}

export const BEHAVIOURS = ['accept', 'fail', 'hang', 'gone'] as const;
/** How the backend of the sample partner answers deliveries. */
export type Behaviour = (typeof BEHAVIOURS)[number];

/** A try to deliver an event to the backend of the sample partner. */
export interface DeliveryTry {
  readonly id: string;
  readonly received_at: string;
  readonly event_id: string | null;
  readonly try_number: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Null: the signature is verified. */
  readonly signature_problem: string | null;
  /** Null: no answer. */
  readonly status: number | null;
  /** How long the sender has waited for a missing answer; null while it waits. */
  readonly waited_ms: number | null;
}

export interface Deliveries {
  /** Whether the sandbox has the secret and the key of the backend. */
  readonly is_subscribed: boolean;
  readonly behaviour: Behaviour;
  /** Newest first. */
  readonly tries: readonly DeliveryTry[];
}

/** An event as partners get it. */
export interface PartnerEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly user_id: string;
    readonly issuer_code: string | null;
    readonly step: string | null;
    readonly status: string | null;
    readonly reason_code: string | null;
    readonly link: string | null;
  };
}

export interface EventDelivery {
  readonly state: 'WAITING' | 'DELIVERED' | 'PARKED';
  /** Failed tries. */
  readonly failures: number;
  /** HTTP status of the latest answer, or why there was none. */
  readonly last_answer: string | null;
  readonly next_try_at: string | null;
}

/** The events as the backend reads them with its key. */
export interface BackendEvents {
  /** Newest first. */
  readonly events: readonly { readonly event: PartnerEvent; readonly delivery: EventDelivery }[];
  /** Why they could not be read. */
  readonly problem: string | null;
}

export interface Replayed {
  readonly is_replayed: boolean;
  readonly problem: string | null;
}

export interface ClockState {
  readonly ahead_seconds: number;
  readonly most_ahead_seconds: number;
  /** Replicas of users-service that follow the clock. */
  readonly followers: number;
}

export interface Person {
  readonly phone: string;
  readonly pan: string;
  readonly dob: string;
  readonly email: string;
  readonly aadhaar: string;
  readonly account: string;
  readonly ifsc: string;
}

/** Outcomes of an eKYC and a locker session, with their labels. */
export const EKYC_OUTCOMES = { verified: 'Verified', failed: 'Failed', expired: 'Expired' } as const;
export const LOCKER_OUTCOMES = {
  allow: 'Allow',
  birth_year: 'Year of birth only',
  deny: 'Deny',
  take_back: 'Take back',
  no_aadhaar: 'No Aadhaar',
  another_person: 'Another person',
  another_birth_date: 'Another date of birth',
  expired: 'Expired',
} as const;

const ANSWER_LIMIT_MS = 5_000;

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS), ...init });
  if (!response.ok) throw new Error(`The sandbox answers ${response.status}`);
  return response;
}

async function read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await ask(path, signal ? { signal } : {});
  return (await response.json()) as Answer;
}

const send = (method: string, path: string, body: object): Promise<Response> =>
  ask(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const post = (path: string, body: object): Promise<Response> => send('POST', path, body);

/** @param phone of the person, as providers report it */
const end = async (path: string, outcome: string, phone?: string): Promise<void> =>
  void (await post(path, { outcome, phone }));

export const sandbox = {
  settings: () => read<Settings>('/api/console'),
  person: () => read<Person>('/api/sample-person'),
  messages: async (to: string, signal?: AbortSignal): Promise<readonly Message[]> => {
    const query = to === '' ? '' : `?${new URLSearchParams({ to })}`;
    return (await read<{ messages: Message[] }>(`/api/messages${query}`, signal)).messages;
  },
  clearMessages: async (): Promise<void> => void (await ask('/api/messages', { method: 'DELETE' })),
  ekycs: async (signal?: AbortSignal): Promise<readonly OpenEkyc[]> =>
    (await read<{ requests: OpenEkyc[] }>('/api/ekyc', signal)).requests,
  lockers: async (signal?: AbortSignal): Promise<readonly OpenLocker[]> =>
    (await read<{ sessions: OpenLocker[] }>('/api/locker', signal)).sessions,
  endEkyc: (id: string, outcome: string, phone?: string) =>
    end(`/api/ekyc/${encodeURIComponent(id)}/outcome`, outcome, phone),
  endLocker: (id: string, outcome: string, phone?: string) =>
    end(`/api/locker/${encodeURIComponent(id)}/outcome`, outcome, phone),
  magicValues: async (): Promise<readonly MagicValue[]> =>
    (await read<{ magic_values: MagicValue[] }>('/api/magic-values')).magic_values,
  clock: (signal?: AbortSignal) => read<ClockState>('/api/clock', signal),
  advanceClock: async (seconds: number): Promise<ClockState> =>
    (await (await post('/api/clock', { advance_seconds: seconds })).json()) as ClockState,
  effects: async (limit: number, signal?: AbortSignal): Promise<readonly Effect[]> =>
    (await read<{ effects: Effect[] }>(`/api/effects?limit=${limit}`, signal)).effects,
  /** @param after id of the last call that is known; undefined: all calls */
  wire: async (after: string | undefined, signal?: AbortSignal): Promise<readonly WireCall[]> => {
    const query = after === undefined ? '' : `?${new URLSearchParams({ after })}`;
    return (await read<{ calls: WireCall[] }>(`/api/wire${query}`, signal)).calls;
  },
  deliveries: (signal?: AbortSignal) => read<Deliveries>('/api/partner-events/deliveries', signal),
  tellBackend: async (behaviour: Behaviour): Promise<void> =>
    void (await send('PUT', '/api/partner-events/behaviour', { behaviour })),
  backendEvents: (signal?: AbortSignal) => read<BackendEvents>('/api/partner-events', signal),
  replayEvent: async (id: string): Promise<Replayed> =>
    (await (await post(`/api/partner-events/${encodeURIComponent(id)}/replay`, {})).json()) as Replayed,
} as const;
