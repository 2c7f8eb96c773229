import { Module } from '@nestjs/common';
import { CoreBankingController } from './core-banking/core-banking.controller.js';
import { RestLeadsController } from './rest/rest-leads.controller.js';
import { RestController } from './rest/rest.controller.js';

@Module({ controllers: [RestLeadsController, RestController, CoreBankingController] })
export class IssuersModule {}
