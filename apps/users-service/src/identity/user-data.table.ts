import type { UserTable } from '../core/index.js';
import { Consent } from './consents/consent.entity.js';
import { MailNoticeRow } from './notices/mail-notice.entity.js';
import { OtpCount } from './otp/otp-count.entity.js';
import { RefreshToken } from './sessions/refresh-token.entity.js';
import { Session } from './sessions/session.entity.js';
import { User } from './users/user.entity.js';

/** In the order of deletion: referring tables first. */
export const IDENTITY_USER_DATA: readonly UserTable[] = [
  {
    entity: RefreshToken,
    holds: 'hashes of the tokens of sessions',
    ofUser: (rows) => rows.innerJoin(Session, 's', 's.id = t.sessionId').where('s.userId = :userId'),
    leftOut: 'hashes, which contain no data',
  },
  { entity: MailNoticeRow, holds: 'mails about changes of the account, with their addresses' },
  { entity: Session, holds: 'logins: partner, name of the device, times, reasons of their end' },
  {
    entity: User,
    holds: 'phone, verified email address, time of the first login, whether the user is blocked',
    ofUser: (rows) => rows.where('t.id = :userId'),
    isKyc: true,
  },
  {
    entity: Consent,
    holds: 'consents with time, partner and withdrawal',
    kept: 'proof of consent, required by the DPDP Act (section 6(10)); contains only ids, times, hashes of fact sheets and a keyed hash of the IP address; withdrawn by the erasure, and deleted 7 years later, those to the terms of a deposit 12',
  },
  {
    entity: OtpCount,
    holds: 'counts of sent and tried codes in the last day',
    ofUser: null,
    leftOut: 'found by a keyed hash of phone or address, not by user',
    kept: 'not found by user; each is deleted a day after its last use',
  },
];
