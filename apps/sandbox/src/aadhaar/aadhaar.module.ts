import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/inbox.module.js';
import { WireModule } from '../wire/wire.module.js';
import { AadhaarController } from './aadhaar.controller.js';
import { AadhaarService } from './aadhaar.service.js';

@Module({
  imports: [InboxModule, WireModule],
  controllers: [AadhaarController],
  providers: [AadhaarService],
})
export class AadhaarModule {}
