import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EXPLAIN_DEFECT, type ExplainDefect } from '@fd/envelope';
import { SessionErrors } from '@fd/errors';
import { OtpConfig } from '../config/index.js';
import { actingAs, DurableCalls, Jobs, KeyedHash } from '../core/index.js';
import { ACCOUNT_PARTNERS, LAST_ISSUERS, TERMS_CONSENT } from '../journey/index.js';
import { Consent } from './consents/consent.entity.js';
import { ConsentNoticesController, ConsentsController } from './consents/consents.controller.js';
import { ConsentsRepository, OLD_CONSENTS } from './consents/consents.repository.js';
import { partnerForEvents } from './consents/partner-of-account.js';
import { EmailVerification } from './email/email-verification.service.js';
import { EmailController } from './email/email.controller.js';
import { AuthController } from './login/auth.controller.js';
import { LoginService } from './login/login.service.js';
import { ReturningUsers } from './login/returning-users.service.js';
import { MailNoticeRow } from './notices/mail-notice.entity.js';
import { MailNotices, OLD_MAIL_NOTICES } from './notices/mail-notices.service.js';
import { OtpAbuseLimits } from './otp/otp-abuse-limits.js';
import { OtpCodes } from './otp/otp-code.js';
import { OtpCount } from './otp/otp-count.entity.js';
import { OLD_OTP_COUNTS, OtpDayLimits } from './otp/otp-day-limits.repository.js';
import { OtpService } from './otp/otp.service.js';
import { OtpStore } from './otp/otp.store.js';
import { PartnerTokens } from './partners/partner-tokens.js';
import { Partner } from './partners/partner.entity.js';
import { PartnersRepository } from './partners/partners.repository.js';
import { JwtStrategy } from './sessions/jwt.strategy.js';
import { JwtAuthGuard } from './sessions/jwt-auth.guard.js';
import { RefreshToken } from './sessions/refresh-token.entity.js';
import { Session } from './sessions/session.entity.js';
import { JwksController, SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { UserOnHold } from './users/user-on-hold.entity.js';
import { User } from './users/user.entity.js';
import { UsersRepository } from './users/users.repository.js';

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

/** Long, because these mails are rare. */
const NOTICE_PERIOD_MS = 5_000;

/** Global: the journey, below this domain, asks through its ports TERMS_CONSENT and LAST_ISSUERS. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(IDENTITY_ENTITIES)],
  controllers: [
    SessionsController,
    JwksController,
    ConsentsController,
    ConsentNoticesController,
    EmailController,
    AuthController,
  ],
  providers: [
    ConsentsRepository,
    { provide: TERMS_CONSENT, useExisting: ConsentsRepository },
    { provide: LAST_ISSUERS, useExisting: UsersRepository },
    { provide: ACCOUNT_PARTNERS, useValue: { partnerForEvents } },
    EmailVerification,
    MailNotices,
    LoginService,
    ReturningUsers,
    OtpAbuseLimits,
    OtpDayLimits,
    OtpService,
    OtpStore,
    {
      provide: OtpCodes,
      inject: [OtpConfig, KeyedHash],
      useFactory: ({ secrets }: OtpConfig, names: KeyedHash) => new OtpCodes(secrets, names),
    },
    PartnerTokens,
    PartnersRepository,
    JwtStrategy,
    JwtAuthGuard,
    {
      provide: EXPLAIN_DEFECT,
      inject: [SessionsRepository],
      useFactory: (sessions: SessionsRepository) => explainByEndedSession(sessions),
    },
    SessionsRepository,
    SessionsService,
    UsersRepository,
  ],
  exports: [
    TERMS_CONSENT,
    LAST_ISSUERS,
    ACCOUNT_PARTNERS,
    ConsentsRepository,
    MailNotices,
    PartnersRepository,
    ReturningUsers,
    EXPLAIN_DEFECT,
    JwtAuthGuard,
    UsersRepository,
  ],
})
export class IdentityModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly sessions: SessionsRepository,
    private readonly durableCalls: DurableCalls,
    private readonly notices: MailNotices,
  ) {}

  onModuleInit(): void {
    this.jobs.poll({
      name: 'mail-notices',
      waiting: 'notices of changed accounts wait',
      periodMs: () => NOTICE_PERIOD_MS,
      run: () => actingAs('system:notices', () => this.durableCalls.advanceDue(this.notices)),
    });
    this.jobs.cleanUp({ name: 'ended sessions', deleteBatch: () => this.sessions.purgeEnded() });
    this.jobs.deleteOld(OLD_OTP_COUNTS, ...OLD_CONSENTS, OLD_MAIL_NOTICES);
  }
}

/** A call that failed because its user was erased meanwhile is answered as the next call will be. */
function explainByEndedSession(sessions: SessionsRepository): ExplainDefect {
  return async ({ user }) =>
    user && !(await sessions.findOpen(user.sessionId, user.userId)) ? SessionErrors.ended() : undefined;
}
