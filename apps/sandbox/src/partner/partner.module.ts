import { Module } from '@nestjs/common';
import { BackendClient } from './backend-client.service.js';
import { BackendSecrets } from './backend-secrets.js';
import { EventReceiverController } from './event-receiver.controller.js';
import { EventReceiver } from './event-receiver.service.js';
import { PartnerEventsController } from './partner-events.controller.js';

/** The backend of the sample partner, which learns of events. */
@Module({
  controllers: [EventReceiverController, PartnerEventsController],
  providers: [BackendClient, BackendSecrets, EventReceiver],
})
export class PartnerModule {}
