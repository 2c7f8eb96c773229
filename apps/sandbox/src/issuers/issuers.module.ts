import { Module } from '@nestjs/common';
import { Beneficiaries } from './core-banking/beneficiaries.service.js';
import { CoreBankingController } from './core-banking/core-banking.controller.js';
import { RestLeadsController } from './rest/rest-leads.controller.js';
import { RestController } from './rest/rest.controller.js';

@Module({
  controllers: [RestLeadsController, RestController, CoreBankingController],
  providers: [Beneficiaries],
})
export class IssuersModule {}
