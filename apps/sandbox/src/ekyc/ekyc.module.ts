import { Module } from '@nestjs/common';
import { WireModule } from '../wire/wire.module.js';
import { EkycPageController } from './ekyc-page.controller.js';
import { EkycProviderController } from './ekyc-provider.controller.js';
import { EkycController } from './ekyc.controller.js';
import { EkycService } from './ekyc.service.js';

@Module({
  imports: [WireModule],
  controllers: [EkycProviderController, EkycController, EkycPageController],
  providers: [EkycService],
})
export class EkycModule {}
