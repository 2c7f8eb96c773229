import { Module } from '@nestjs/common';
import { EffectsModule } from '../effects/effects.module.js';
import { SilentCallsModule } from '../silent-calls/silent-calls.module.js';
import { Behaviours } from './behaviours.service.js';

/** What every party is built on: how it fails, and that it does a thing once for each idempotency key. */
@Module({
  imports: [SilentCallsModule, EffectsModule],
  providers: [Behaviours],
  exports: [Behaviours, EffectsModule],
})
export class WireModule {}
