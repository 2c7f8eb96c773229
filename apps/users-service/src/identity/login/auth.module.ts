import { Module } from '@nestjs/common';
import { ConsentsModule } from '../consents/consents.module.js';
import { OtpModule } from '../otp/otp.module.js';
import { PartnersModule } from '../partners/partners.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { SendCodeService } from './send-code.service.js';
import { SessionOpening } from './session-opening.service.js';
import { VerifyCodeService } from './verify-code.service.js';

@Module({
  imports: [OtpModule, PartnersModule, SessionsModule, UsersModule, ConsentsModule],
  controllers: [AuthController],
  providers: [SendCodeService, VerifyCodeService, SessionOpening],
})
export class AuthModule {}
