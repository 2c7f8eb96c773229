import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsConfig } from '../config/index.js';
import { BackendKey } from './backend/backend-key.entity.js';
import { BackendKeyGuard } from './backend/backend-key.guard.js';
import { BackendKeysRepository } from './backend/backend-keys.repository.js';
import { EventDeliveries } from './delivery/event-deliveries.service.js';
import { EventLog } from './outbox/event-log.repository.js';
import { EventReader } from './backend/event-reader.service.js';
import { EventSender } from './delivery/event-sender.js';
import { PartnerEventsController } from './backend/partner-events.controller.js';
import { PartnerEvent } from './outbox/partner-event.entity.js';
import { PartnerEvents } from './outbox/partner-events.service.js';
import { EventSubscription } from './subscriptions/event-subscription.entity.js';

export const EVENTS_ENTITIES = [BackendKey, EventSubscription, PartnerEvent];

/** Global: every domain above publishes its outcomes. */
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
