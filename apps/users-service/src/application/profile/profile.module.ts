import { Module } from '@nestjs/common';
import { BankModule } from '../../banking/index.js';
import { IdentityModule } from '../../identity/index.js';
import { KycModule } from '../../kyc/index.js';
import { NomineesModule } from '../nominees/nominees.module.js';
import { ProfileController } from './profile.controller.js';
import { ProfileService } from './profile.service.js';

@Module({
  imports: [IdentityModule, KycModule, BankModule, NomineesModule],
  controllers: [ProfileController],
  providers: [ProfileService],
})
export class ProfileModule {}
