import { Module } from '@nestjs/common';
import { WireModule } from '../wire/wire.module.js';
import { PanRegistryController } from './pan-registry.controller.js';
import { PanRegistryService } from './pan-registry.service.js';

@Module({ imports: [WireModule], controllers: [PanRegistryController], providers: [PanRegistryService] })
export class PanRegistryModule {}
