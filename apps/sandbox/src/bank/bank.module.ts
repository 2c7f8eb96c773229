import { Module } from '@nestjs/common';
import { WireModule } from '../wire/wire.module.js';
import { BankController } from './bank.controller.js';
import { BankService } from './bank.service.js';

@Module({ imports: [WireModule], controllers: [BankController], providers: [BankService] })
export class BankModule {}
