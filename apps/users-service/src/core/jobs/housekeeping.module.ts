import { Global, Module } from '@nestjs/common';
import { Housekeeping } from './housekeeping.service.js';

@Global()
@Module({ providers: [Housekeeping], exports: [Housekeeping] })
export class HousekeepingModule {}
