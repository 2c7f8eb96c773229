import { Consent } from './consents/consent.entity.js';
import { MailNoticeRow } from './notices/mail-notice.entity.js';
import { OtpCount } from './otp/otp-count.entity.js';
import { Partner } from './partners/partner.entity.js';
import { RefreshToken } from './sessions/refresh-token.entity.js';
import { Session } from './sessions/session.entity.js';
import { UserOnHold } from './users/user-on-hold.entity.js';
import { User } from './users/user.entity.js';

export const IDENTITY_ENTITIES = [
  Consent,
  MailNoticeRow,
  OtpCount,
  Partner,
  RefreshToken,
  Session,
  User,
  UserOnHold,
];
