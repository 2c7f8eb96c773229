import { withRequestStore } from '@fd/envelope';
import { Clock } from '@fd/platform';
import type { EntityManager } from 'typeorm';
import { AuditKeys } from './audit-event.js';
import { AuditTrail, beginCall, RecentReads, userActor } from './audit-trail.js';

const READ = { action: 'PROFILE_READ', subject: '0198c0de-1a2b-7c3d-8e4f-00000000000a' } as const;

describe('reads that the audit trail records of one user', () => {
  const clock = Object.assign(new Clock(), { nowMs: 1_800_000_000_000 });
  clock.now = () => new Date(clock.nowMs);
  const trail = new AuditTrail(new AuditKeys([{ id: 'k1', bytes: Buffer.alloc(32) }]), clock);

  // the rule needs no database
  const tx = { queryRunner: { query: () => Promise.resolve({ affected: 1 }) } } as unknown as EntityManager;

  /** Whether a read is recorded. */
  const isRecorded = (user: string, session: string): boolean =>
    withRequestStore({}, () => {
      beginCall(userActor(user), session);
      const isKnown = trail.isKnown(READ);
      if (!isKnown) void trail.record(tx, READ);
      trail.keepRepeatable(READ);
      return !isKnown;
    });

  it('records a read once for each session and minute', () => {
    expect([isRecorded('a', '1'), isRecorded('a', '1'), isRecorded('a', '2')]).toEqual([true, false, true]);
    clock.nowMs += 60_000;
    expect(isRecorded('a', '1')).toBe(true);
  });

  it('records a read once an hour for all sessions of a user after 2,000 reads in a day', () => {
    for (let session = 0; session < 2_000; session++) expect(isRecorded('b', `b${session}`)).toBe(true);
    expect([isRecorded('b', 'x'), isRecorded('b', 'y'), isRecorded('c', 'x')]).toEqual([true, false, true]);
    clock.nowMs += 3_600_000;
    expect([isRecorded('b', 'y'), isRecorded('b', 'x')]).toEqual([true, false]);
    clock.nowMs += 86_400_000;
    expect([isRecorded('b', 'x'), isRecorded('b', 'y')]).toEqual([true, true]);
  });
});

describe('reads recorded at most once a minute', () => {
  it('covers a repeated read for a minute, unless the clock was set back', () => {
    const reads = new RecentReads(60_000);
    reads.add('a', 1_000);
    expect([999, 1_000, 60_999, 61_000].map((now) => reads.find('a', now))).toEqual([
      undefined,
      1_000,
      1_000,
      undefined,
    ]);
    expect(reads.find('b', 1_000)).toBeUndefined();
  });

  it('drops the oldest of more than 20,000 reads', () => {
    const reads = new RecentReads(60_000);
    for (let i = 0; i <= 20_000; i++) reads.add(`read ${i}`, 1_000);
    expect(['read 0', 'read 1', 'read 20000'].map((read) => reads.find(read, 1_000))).toEqual([
      undefined,
      1_000,
      1_000,
    ]);
  });
});
