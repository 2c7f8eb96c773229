import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsConfig } from '../config/index.js';
import { BackendKeyGuard } from './backend/backend-key.guard.js';
import { BackendKeysRepository } from './backend/backend-keys.repository.js';
import { EventDeliveries } from './delivery/event-deliveries.service.js';
import { EventLog } from './outbox/event-log.repository.js';
import { EventReader } from './backend/event-reader.service.js';
import { EventSender } from './delivery/event-sender.js';
import { EVENTS_ENTITIES } from './events.entities.js';
import { PartnerEventsController } from './backend/partner-events.controller.js';
import { PartnerEvents } from './outbox/partner-events.service.js';

/** Global: every domain above tells partners of its outcomes. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature(EVENTS_ENTITIES)],
  controllers: [PartnerEventsController],
  providers: [
    PartnerEvents,
    EventLog,
    EventDeliveries,
    EventReader,
    BackendKeysRepository,
    BackendKeyGuard,
    {
      provide: EventSender,
      inject: [EventsConfig],
      useFactory: ({ areLocalAddressesAllowed }: EventsConfig) => new EventSender(areLocalAddressesAllowed),
    },
  ],
  exports: [PartnerEvents, EventLog],
})
export class EventsModule {}
