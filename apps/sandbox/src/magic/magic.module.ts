import { Module } from '@nestjs/common';
import { MagicValuesController } from './magic-values.controller.js';

@Module({ controllers: [MagicValuesController] })
export class MagicModule {}
