import { indiaTime } from '../wire/india-time.js';
import { lockerAadhaarOf, type LockerSession, type LockerStatus } from './locker-session.js';

/** A new session as the locker tells it. */
export function newSessionOnWire({ id, expiresAt }: LockerSession, url: string): object {
  return { session_id: id, url, status: 'CREATED', expires_at: indiaTime(expiresAt) };
}

/** A session as the locker tells it by now. */
export function sessionOnWire(session: LockerSession, status: LockerStatus, url: string): object {
  return { ...newSessionOnWire(session, url), status, aadhaar: lockerAadhaarOf(session) };
}
