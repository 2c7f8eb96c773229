import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { ConsoleController } from './console.controller.js';
import { GuideController } from './guide.controller.js';
import { PortsController } from './ports.controller.js';
import { SamplePersonController } from './sample-person.controller.js';

/** The console's files, the documentation site, and the sandbox's own API for the console and the tests. */
@Module({
  imports: [ProvidersModule],
  controllers: [ConsoleController, GuideController, PortsController, SamplePersonController],
})
export class ConsoleModule {}
