import { withRequestScope } from '@fd/envelope';
import { Clock } from '@fd/platform';
import { AuditKeys } from './audit-event.js';
import { AuditTrail, beginCall, userActor } from './audit-trail.js';

const READ = { action: 'PROFILE_READ', subject: '0198c0de-1a2b-7c3d-8e4f-00000000000a' } as const;

describe('reads that the audit trail records of one user', () => {
  const clock = Object.assign(new Clock(), { nowMs: 1_800_000_000_000 });
  clock.now = () => new Date(clock.nowMs);
  const trail = new AuditTrail(new AuditKeys([{ id: 'k1', bytes: Buffer.alloc(32) }]), clock);

  /** Whether a read is recorded. */
  const isRecorded = (user: string, session: string): boolean =>
    withRequestScope({}, () => {
      beginCall(userActor(user), session);
      const row = trail.rowOfRead(READ);
      trail.keepRepeatable(READ);
      return row !== null;
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
