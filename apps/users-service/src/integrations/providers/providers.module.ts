import { Global, Module } from '@nestjs/common';
import { ProviderClients } from './provider-clients.js';

/** What all adapters to outside parties are built on. */
@Global()
@Module({ providers: [ProviderClients], exports: [ProviderClients] })
export class ProvidersModule {}
