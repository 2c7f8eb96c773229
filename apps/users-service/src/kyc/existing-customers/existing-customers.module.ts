import { Module } from '@nestjs/common';
import { PanModule } from '../pan/pan.module.js';
import { IdentityModule } from '../../identity/index.js';
import { ExistingCustomersController } from './existing-customers.controller.js';
import { ExistingCustomersRepository } from './existing-customers.repository.js';
import { ExistingCustomersService } from './existing-customers.service.js';

@Module({
  imports: [PanModule, IdentityModule],
  controllers: [ExistingCustomersController],
  providers: [ExistingCustomersService, ExistingCustomersRepository],
})
export class ExistingCustomersModule {}
