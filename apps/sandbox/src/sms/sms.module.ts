import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { SilentCallsModule } from '../silent-calls/silent-calls.module.js';
import { SmsProviderController } from './sms-provider.controller.js';
import { SmsProviderService } from './sms-provider.service.js';

@Module({
  imports: [InboxModule, SilentCallsModule],
  controllers: [SmsProviderController],
  providers: [SmsProviderService],
})
export class SmsModule {}
