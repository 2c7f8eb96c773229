import { Module, type OnModuleInit } from '@nestjs/common';
import { USERS_CONFIG } from '../config/config.module.js';
import type { UsersConfig } from '../config/users-config.js';
import { ConsentsModule } from '../consents/consents.module.js';
import { Housekeeping } from '../housekeeping/housekeeping.service.js';
import { ProviderClients } from '../providers/provider-clients.js';
import { HttpPanRegistryAdapter } from './adapters/http/http-pan-registry.adapter.js';
import { IdentitiesRepository } from './identities.repository.js';
import { PanLookupsRepository } from './pan-lookups.repository.js';
import { PAN_REGISTRY, type PanRegistry } from './pan-registry.port.js';
import { PanController } from './pan.controller.js';
import { PanService } from './pan.service.js';

@Module({
  imports: [ConsentsModule],
  controllers: [PanController],
  providers: [
    PanService,
    IdentitiesRepository,
    PanLookupsRepository,
    {
      provide: PAN_REGISTRY,
      inject: [USERS_CONFIG, ProviderClients],
      useFactory: ({ providers }: UsersConfig, clients: ProviderClients): PanRegistry =>
        new HttpPanRegistryAdapter(clients.of(providers.panRegistry)),
    },
  ],
  exports: [IdentitiesRepository],
})
export class PanModule implements OnModuleInit {
  constructor(
    private readonly housekeeping: Housekeeping,
    private readonly lookups: PanLookupsRepository,
  ) {}

  onModuleInit(): void {
    this.housekeeping.add({ name: 'old PAN look-ups', run: () => this.lookups.purgeOld() });
  }
}
