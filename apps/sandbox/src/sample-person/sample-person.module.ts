import { Module } from '@nestjs/common';
import { SamplePersonController } from './sample-person.controller.js';

@Module({ controllers: [SamplePersonController] })
export class SamplePersonModule {}
