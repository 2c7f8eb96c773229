import { Module } from '@nestjs/common';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { OtpModule } from '../otp/otp.module.js';
import { PartnersModule } from '../partners/partners.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SmsModule } from '../sms/sms.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthController } from './auth.controller.js';
import { LoginService } from './login.service.js';

@Module({
  imports: [OtpModule, SmsModule, PartnersModule, SessionsModule, UsersModule],
  controllers: [AuthController],
  providers: [LoginService, ConsentsRepository],
})
export class AuthModule {}
