import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GeneralErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import type { Response } from 'supertest';
import { aPhone, codeOf } from './inbox.js';
import { as, verifyBody } from './login.js';
import type { UsersApp } from './users-app.js';

const EVENTS_OF_ONE = 3;
/** As clients do who heed `Retry-After`, but not as long. */
const PAUSE_MS = 100;

/**
 * People who log in and have their clients report events, one after the other, again and again, while something happens
 * to the service. They put up with 503 and with nothing else, and remember everything that they were told was done.
 */
export class Crowd {
  /** Ids of sessions that were opened, and of events that were taken. */
  readonly sessions: string[] = [];
  readonly events: string[] = [];
  /** How often they were told to come again. */
  refused = 0;

  /** What was accepted and has been looked for afterwards. */
  get figures(): Record<string, number> {
    return {
      logins: this.sessions.length,
      events: this.events.length,
      'told to come again': this.refused,
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
    // whoever fails is heard in end()
    for (const person of this.people) person.catch(() => undefined);
  }

  /** Lets everybody finish. @throws when somebody was told anything but success or 503 */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.people);
  }

  /** Holds what was told against what is there. */
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
    // whoever was told to come again has a code that is still good
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
