import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GeneralErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import type { Response } from 'supertest';
import { aPhone, codeOf } from './inbox.js';
import { as, verifyBody } from './login.js';
import type { UsersApp } from './users-app.js';

const EVENTS_OF_ONE = 3;
/** Clients heed `Retry-After`; this pause is shorter, to keep the load up. */
const PAUSE_MS = 100;

/**
 * Users who log in and report events in a loop while a fault happens in the service. They retry after 503, fail on any
 * other error, and record every acknowledged login and event.
 */
export class Crowd {
  /** Ids of the sessions opened and the events acknowledged. */
  readonly sessions: string[] = [];
  readonly events: string[] = [];
  /** Number of 503 answers. */
  refused = 0;

  /** What the service acknowledged and the test then looked up in PostgreSQL. */
  get figures(): Record<string, number> {
    return {
      logins: this.sessions.length,
      events: this.events.length,
      'answers of 503': this.refused,
    };
  }

  private isOver = false;
  private readonly people: Promise<void>[];

  constructor(
    private readonly service: UsersApp,
    size: number,
  ) {
    this.people = Array.from({ length: size }, async () => {
      while (!this.isOver) await this.visit();
    });
    // end() reports the failure
    for (const person of this.people) person.catch(() => undefined);
  }

  /** Waits until all users have finished. @throws if a user got an answer other than success or 503 */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.people);
  }

  /** Checks that PostgreSQL holds each acknowledged session and event exactly once. */
  async expectNothingLostOrDoubled({ dataSource }: Pick<UsersApp, 'dataSource'>): Promise<void> {
    const count = async (sql: string, ids: string[]) =>
      (await dataSource.query<[{ count: number }]>(sql, [ids]))[0].count;
    const sessions = 'SELECT count(*)::int AS count FROM onboarding.sessions WHERE id = ANY($1::uuid[])';
    const events =
      'SELECT count(*)::int AS count FROM onboarding.insight_events WHERE event_id = ANY($1::uuid[])';
    expect({
      sessions: await count(sessions, this.sessions),
      events: await count(events, this.events),
    }).toEqual({ sessions: this.sessions.length, events: this.events.length });
  }

  private async visit(): Promise<void> {
    const phone = aPhone();
    await this.patiently(() => this.service.api.post('/auth/register', { phone }));
    const body = verifyBody(phone, await codeOf(phone));
    // after a 503 the code is still valid
    const response = await this.patiently(() => this.service.api.post('/auth/api/v2/register/verify', body));
    const { access_token } = (response.body as { payload: { access_token: string } }).payload;
    this.sessions.push(sessionOf(access_token));
    const api = as(this.service.api, { access_token });
    for (let events = 0; events < EVENTS_OF_ONE && !this.isOver; events++) {
      const event = {
        event_id: randomUUID(),
        event_name: 'FD_SELECTED',
        issuer_code: 'ARAVFIN',
        occurred_at: new Date().toISOString(),
      };
      await this.patiently(() => api.post('/api/v1/insights-tracking', event));
      this.events.push(event.event_id);
    }
  }

  private async patiently(call: () => Promise<Response>): Promise<Response> {
    for (; ; await sleep(PAUSE_MS)) {
      const response = await call();
      if (response.status < 300) return response;
      expectRefusal(response, GeneralErrors.unavailable);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      this.refused++;
    }
  }
}

function sessionOf(accessToken: string): string {
  const [, claims] = accessToken.split('.');
  return (JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { sid: string }).sid;
}
