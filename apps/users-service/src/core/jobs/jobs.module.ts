import { Global, Module } from '@nestjs/common';
import { DurableCallsRepository } from './durable-calls.repository.js';
import { DurableCalls } from './durable-calls.service.js';
import { Jobs } from './jobs.service.js';

@Global()
@Module({ providers: [Jobs, DurableCalls, DurableCallsRepository], exports: [Jobs, DurableCalls] })
export class JobsModule {}
