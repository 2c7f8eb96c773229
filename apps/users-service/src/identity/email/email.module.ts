import { Module } from '@nestjs/common';
import { OtpModule } from '../otp/otp.module.js';
import { EmailController } from './email.controller.js';
import { EmailVerification } from './email-verification.service.js';
import { EmailsRepository } from './emails.repository.js';
import { MailBudget } from './mail-budget.js';

@Module({
  imports: [OtpModule],
  controllers: [EmailController],
  providers: [EmailVerification, EmailsRepository, MailBudget],
  exports: [EmailsRepository],
})
export class EmailModule {}
