import { eventually } from '@fd/testing';
import type { EntityManager } from 'typeorm';
import type { ProvenEvent } from '../../src/core/audit/audit-event.js';
import { sealedEvents, unsealedEvents } from '../../src/core/audit/audit-reader.js';
import { AuditSealer } from '../../src/core/audit/audit-sealer.service.js';
import type { TestService, UsersApp } from './users-app.js';
import { type Answer, JourneyClient } from './journey-client.js';

/** Seals all events recorded so far, except those of a test's clock that was ahead: they wait for their time. */
export async function sealTrail({ app, dataSource }: UsersApp): Promise<void> {
  await eventually(async () => {
    await app.get(AuditSealer).sealAll();
    const [{ count }] = await dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM onboarding.audit_unsealed WHERE occurred_at <= now() + interval '5 minutes'`,
    );
    expect(count).toBe(0);
  });
}

/** Returns the audit events of a user in the order in which they happened. */
export async function trailOf(
  { database }: Pick<UsersApp, 'database'>,
  userId: string,
): Promise<ProvenEvent[]> {
  // one statement: an event sealed between two statements would be read twice or not at all
  const events = await database.transaction('REPEATABLE READ', (tx) => eventsOf(tx, userId));
  return events.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function eventsOf(tx: EntityManager, userId: string): Promise<ProvenEvent[]> {
  const events: ProvenEvent[] = [];
  for await (const event of sealedEvents(tx, { userId })) events.push(event);
  for await (const event of unsealedEvents(tx, { userId })) events.push(event);
  return events;
}

/** Formats an event for comparison: the action, then the outcome unless it is OK, then the code if there is one. */
export const shortOf = ({ action, outcome, code }: ProvenEvent): string =>
  [action, ...(outcome === 'OK' ? [] : [outcome]), ...(code === null ? [] : [code])].join(' ');

export interface RecordedCall {
  readonly path: string;
  readonly status: number;
  readonly requestId: string | null;
}

/** A journey client that records the request id of each call. */
export class RecordedJourney extends JourneyClient {
  readonly calls: RecordedCall[] = [];

  override async call(...args: Parameters<JourneyClient['call']>): Promise<Answer> {
    const answer = await super.call(...args);
    const { status, headers } = answer;
    this.calls.push({
      path: args[1].split('?')[0]!,
      status,
      requestId: headers.get('x-request-id'),
    });
    return answer;
  }
}

/** Acts with the service's clock turned back. PostgreSQL keeps its time, and would refuse audit events that old. */
export async function daysAgo(
  { clock, dataSource }: TestService,
  days: number,
  act: () => Promise<void>,
): Promise<void> {
  const about = (change: 'DISABLE' | 'ENABLE') =>
    dataSource.query(`ALTER TABLE onboarding.audit_unsealed ${change} TRIGGER tr_audit_unsealed__about_now`);
  await about('DISABLE');
  clock.advanceSeconds(-days * 86_400);
  await act();
  clock.advanceSeconds(days * 86_400);
  await about('ENABLE');
}
