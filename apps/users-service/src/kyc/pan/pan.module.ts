import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '../../identity/index.js';
import { Jobs } from '../../core/index.js';
import { ProviderClients } from '../../integrations/index.js';
import { HttpPanRegistryAdapter } from './adapters/http/http-pan-registry.adapter.js';
import { IdentitiesRepository } from './identities.repository.js';
import { PanLookupsRepository } from './pan-lookups.repository.js';
import { PAN_REGISTRY, type PanRegistry } from './pan-registry.port.js';
import { PanController } from './pan.controller.js';
import { PanService } from './pan.service.js';

@Module({
  imports: [IdentityModule],
  controllers: [PanController],
  providers: [
    PanService,
    IdentitiesRepository,
    PanLookupsRepository,
    {
      provide: PAN_REGISTRY,
      inject: [ProviderClients],
      useFactory: (clients: ProviderClients): PanRegistry =>
        new HttpPanRegistryAdapter(clients.of('pan-registry')),
    },
  ],
  exports: [IdentitiesRepository],
})
export class PanModule implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly lookups: PanLookupsRepository,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp({ name: 'old PAN look-ups', deleteBatch: () => this.lookups.purgeOld() });
  }
}
