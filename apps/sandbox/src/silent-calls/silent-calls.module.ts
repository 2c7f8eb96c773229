import { Module } from '@nestjs/common';
import { SilentCalls } from './silent-calls.service.js';

@Module({ providers: [SilentCalls], exports: [SilentCalls] })
export class SilentCallsModule {}
