import { Module } from '@nestjs/common';
import { ConsentsController } from './consents.controller.js';
import { ConsentsRepository } from './consents.repository.js';

@Module({
  controllers: [ConsentsController],
  providers: [ConsentsRepository],
  exports: [ConsentsRepository],
})
export class ConsentsModule {}
