import { Module } from '@nestjs/common';
import { PortsController } from './ports.controller.js';

@Module({ controllers: [PortsController] })
export class PortsModule {}
