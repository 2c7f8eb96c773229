import { Module } from '@nestjs/common';
import { WireModule } from '../wire/wire.module.js';
import { FormatAController } from './format-a/format-a.controller.js';
import { LeadsController } from './format-a/leads.controller.js';
import { LeadsService } from './format-a/leads.service.js';
import { BeneficiariesService } from './format-b/beneficiaries.service.js';
import { FormatBController } from './format-b/format-b.controller.js';

@Module({
  imports: [WireModule],
  controllers: [LeadsController, FormatAController, FormatBController],
  providers: [LeadsService, BeneficiariesService],
})
export class IssuersModule {}
