import { Module } from '@nestjs/common';
import { NomineesModule } from '../nominees/nominees.module.js';
import { PanModule } from '../../kyc/index.js';
import { BookingController } from './booking.controller.js';
import { BookingService } from './booking.service.js';

@Module({
  imports: [NomineesModule, PanModule],
  controllers: [BookingController],
  providers: [BookingService],
})
export class BookingModule {}
