import { ApiProperty } from '@nestjs/swagger';
import { indiaTime } from '../../http/india-time.js';
import { LOCKER_OUTCOMES, LOCKER_STATUSES, type LockerSession } from './locker-session.js';

export class OpenLockerSessionView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: String, description: "The caller's." })
  readonly reference: string;

  @ApiProperty({ type: String, format: 'uri', description: 'The hosted page.' })
  readonly url: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2025-11-21T12:30:00.000+05:30' })
  readonly expires_at: string;
}

export class OpenLockerSessionsView {
  @ApiProperty({ type: [OpenLockerSessionView], description: 'Newest first.' })
  readonly sessions: OpenLockerSessionView[];
}

export class LockerOutcomeBody {
  @ApiProperty({ type: String, enum: LOCKER_OUTCOMES })
  readonly outcome: string;
}

export class LockerOutcomeView {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly session_id: string;

  @ApiProperty({ type: String, enum: LOCKER_STATUSES })
  readonly status: string;
}

export function presentOpenSession(session: LockerSession, url: string): OpenLockerSessionView {
  const { id, reference, expiresAt } = session;
  return { session_id: id, reference, url, expires_at: indiaTime(expiresAt) };
}
