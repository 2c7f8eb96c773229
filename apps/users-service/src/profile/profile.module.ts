import { Module } from '@nestjs/common';
import { BankModule } from '../bank/bank.module.js';
import { EmailModule } from '../email/email.module.js';
import { EkycModule } from '../ekyc/ekyc.module.js';
import { NomineesModule } from '../nominees/nominees.module.js';
import { PanModule } from '../pan/pan.module.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';
import { UsersModule } from '../users/users.module.js';

/** Apart from UsersModule, which features need: the profile needs the features. */
@Module({
  imports: [UsersModule, PanModule, EmailModule, EkycModule, BankModule, NomineesModule],
  controllers: [ProfileController],
  providers: [ProfileService],
  exports: [ProfileService],
})
export class ProfileModule {}
