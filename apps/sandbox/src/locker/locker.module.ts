import { Module } from '@nestjs/common';
import { WireModule } from '../wire/wire.module.js';
import { LockerPageController } from './locker-page.controller.js';
import { LockerProviderController } from './locker-provider.controller.js';
import { LockerController } from './locker.controller.js';
import { LockerService } from './locker.service.js';

@Module({
  imports: [WireModule],
  controllers: [LockerProviderController, LockerController, LockerPageController],
  providers: [LockerService],
})
export class LockerModule {}
