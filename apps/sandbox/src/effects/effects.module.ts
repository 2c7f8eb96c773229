import { Module } from '@nestjs/common';
import { EffectsController } from './effects.controller.js';
import { Effects } from './effects.service.js';

@Module({ controllers: [EffectsController], providers: [Effects], exports: [Effects] })
export class EffectsModule {}
