import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, Timed } from './history.js';
import { aPhone, inboxOf, wrongCode } from './inbox.js';
import { verifyBody } from './login.js';
import { PAN_PATH, panBody } from './pan.js';

const CALL_LIMIT_MS = 5_000;
const PAUSE_MS = 25;
const RETRY_PAUSE_MS = 100;
/** How long a client retries a refresh: less than the service repeats its answer. */
const REFRESH_FOR_MS = 20_000;
const MAX_SESSIONS = 4;

/** Returns a seeded generator of numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Payload {
  readonly user_id: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Answered extends Timed {
  readonly payload: Payload;
}

/** A login of this client, with the tokens that the client knows. */
interface OpenedSession {
  /** The refresh token of the login; identifies the session in the history. */
  readonly id: string;
  readonly userId: string;
  accessToken: string;
  refreshToken: string;
}

/** Phones and PANs that clients compete for. A phone that gets no more codes is replaced. */
export class Contested {
  readonly pans = Array.from({ length: 6 }, () => panBody());
  private readonly phones = Array.from({ length: 8 }, () => aPhone());
  private readonly retired: string[] = [];

  phone(random: () => number): string {
    return this.phones[Math.floor(random() * this.phones.length)]!;
  }

  retire(phone: string): void {
    const at = this.phones.indexOf(phone);
    if (at < 0) return;
    this.retired.push(phone);
    this.phones[at] = aPhone();
  }

  get allPhones(): readonly string[] {
    return [...this.phones, ...this.retired];
  }
}

/** A client that logs in, refreshes tokens and verifies PANs, and records every answer. */
export class HistoryClient {
  readonly sessions: OpenedSession[] = [];

  constructor(
    private readonly baseUrl: string,
    private readonly history: Operation[],
    private readonly contested: Contested,
    private readonly random: () => number,
  ) {}

  /** Acts until the time is over, then finishes the running action. */
  async act(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.step();
      await sleep(PAUSE_MS);
    }
  }

  private async step(): Promise<void> {
    const dice = this.random();
    const phone = this.contested.phone(this.random);
    if (dice < 0.3) return this.register(phone);
    if (dice < 0.5) return this.logIn(phone, 1);
    if (dice < 0.6) return this.logIn(phone, 3);
    if (dice < 0.7) return this.guess(phone);
    const session = this.sessions[Math.floor(this.random() * this.sessions.length)];
    if (!session) return this.register(phone);
    if (dice < 0.85) return this.refresh(session, dice < 0.78 ? 1 : 3);
    return this.claimPan(session);
  }

  private async register(phone: string): Promise<void> {
    const { payload: _payload, ...timed } = await this.call('/auth/register', { phone });
    this.history.push({ kind: 'register', phone, ...timed });
    if (timed.outcome === 'fail') this.contested.retire(phone);
  }

  /** Logs in with the newest code, TIMES times in parallel. */
  private async logIn(phone: string, times: number): Promise<void> {
    const code = (await inboxOf(phone))[0]?.code;
    if (code) await Promise.all(Array.from({ length: times }, () => this.verify(phone, code)));
  }

  private async guess(phone: string): Promise<void> {
    const code = (await inboxOf(phone))[0]?.code;
    if (code) await this.verify(phone, wrongCode(code));
  }

  private async verify(phone: string, otp: string): Promise<void> {
    const body = verifyBody(phone, otp);
    const { payload, ...timed } = await this.call('/auth/api/v2/register/verify', body);
    const isOk = timed.outcome === 'ok';
    this.history.push({ kind: 'verify', phone, otp, userId: isOk ? payload.user_id : undefined, ...timed });
    if (!isOk) return;
    const { user_id: userId, access_token: accessToken, refresh_token: refreshToken } = payload;
    this.sessions.push({ id: refreshToken, userId, accessToken, refreshToken });
    if (this.sessions.length > MAX_SESSIONS) this.sessions.shift();
  }

  /** Exchanges the session's token, and retries with the same token until an answer arrives. */
  async refresh(session: OpenedSession, times: number): Promise<void> {
    const presented = session.refreshToken;
    for (const end = Date.now() + REFRESH_FOR_MS; Date.now() < end; await sleep(RETRY_PAUSE_MS)) {
      const answers = await Promise.all(
        Array.from({ length: times }, () =>
          this.call('/auth/api/v2/token/refresh', { refresh_token: presented }),
        ),
      );
      for (const { payload, ...timed } of answers) {
        const successor = timed.outcome === 'ok' ? payload.refresh_token : undefined;
        this.history.push({ kind: 'refresh', session: session.id, presented, successor, ...timed });
      }
      const answered = answers.find(({ outcome }) => outcome === 'ok');
      if (answered) {
        session.refreshToken = answered.payload.refresh_token;
        session.accessToken = answered.payload.access_token;
        return;
      }
      if (answers.some(({ outcome }) => outcome === 'fail')) break;
    }
    // the state of the token is unknown
    this.sessions.splice(this.sessions.indexOf(session), 1);
  }

  private async claimPan({ userId, accessToken }: OpenedSession): Promise<void> {
    const body = this.contested.pans[Math.floor(this.random() * this.contested.pans.length)]!;
    const { payload: _payload, ...timed } = await this.call(PAN_PATH, body, accessToken);
    this.history.push({ kind: 'pan', pan: body.number, userId, ...timed });
  }

  private async call(path: string, body: object, bearer?: string): Promise<Answered> {
    const invokedAt = performance.now();
    const answer = await fetch(`${this.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => ({ status: 599, text: '' }));
    const timed = { invokedAt, endedAt: performance.now() };
    if (answer.status >= 500) return { ...timed, outcome: 'unknown', payload: NOTHING };
    const { payload, error } = JSON.parse(answer.text) as {
      payload: Payload;
      error?: { errorCode: string }[];
    };
    return { ...timed, outcome: outcomeOf(answer.status), payload, code: error?.[0]?.errorCode };
  }
}

/** A PAN check that goes on after its 202 may end either way. */
function outcomeOf(status: number): Timed['outcome'] {
  if (status === 202) return 'unknown';
  return status < 300 ? 'ok' : 'fail';
}

const NOTHING: Payload = { user_id: '', access_token: '', refresh_token: '' };
