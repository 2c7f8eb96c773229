import { Module } from '@nestjs/common';
import { NomineesModule } from '../nominees/nominees.module.js';
import { KycModule } from '../../kyc/index.js';
import { BookingController } from './booking.controller.js';
import { BookingService } from './booking.service.js';

@Module({
  imports: [NomineesModule, KycModule],
  controllers: [BookingController],
  providers: [BookingService],
})
export class BookingModule {}
