import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { WireModule } from '../wire/wire.module.js';
import { SmsProviderController } from './sms-provider.controller.js';
import { SmsProviderService } from './sms-provider.service.js';

@Module({
  imports: [InboxModule, WireModule],
  controllers: [SmsProviderController],
  providers: [SmsProviderService],
})
export class SmsModule {}
