import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsConfig } from '../config/index.js';
import { BackendKeyGuard } from './backend-key.guard.js';
import { BackendKeysRepository } from './backend-keys.repository.js';
import { EventDeliveries } from './event-deliveries.service.js';
import { EventLog } from './event-log.repository.js';
import { EventReader } from './event-reader.service.js';
import { EventSender } from './event-sender.js';
import { EVENTS_ENTITIES } from './events.entities.js';
import { PartnerEventsController } from './partner-events.controller.js';
import { PartnerEvents } from './partner-events.service.js';

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
